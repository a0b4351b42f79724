"""Names of clusters from a language model. A paid name is stored and not requested again."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from agents.data_texts import RULE, as_data
from agents.llm import Request, Usage
from agents.tools import storable
from analysis.notes.models import NotesAnalysis, claims
from analysis.notes.study.selectors import Scope
from analysis.notes.text.clusters import Cluster, Paragraph, number_of_clusters
from infrastructure.claims import Claim
from runs.engine.players import connected_llm
from runs.models import Agent
from runs.services.job_queries import agent_query, settle_and_store

SECONDS = 120.0
CHARACTERS = 600
"""Characters of a paragraph that are sent."""
LONGEST_LABEL = 60
USUAL = Usage(input_tokens=1_700, output_tokens=50)
"""Tokens of one query, for the estimate."""

SYSTEM = f"You name groups of similar texts. Answer with the name only: at most six words, no quotation marks. {RULE}"
PROMPT = (
    "These paragraphs are from notes that agents wrote during a task. A clustering put them into one group. The first row "
    "has the words that stand out in it.\n\n{data}\n\nWhat do they have in common? Name the group."
)

Tell = Callable[[int, int], None]


def names_estimated(namer: Agent, scope: Scope, agents: int) -> tuple[int, int | None]:
    """(queries, cost) of naming clusters, for the given number of agents: the most queries, and their estimated cost.

    The cost is in billionths of a dollar, None if the namer has no price.
    """
    queries = number_of_clusters(agents, scope.paragraphs)
    return queries, queries * namer.cost_nano(USUAL) if namer.is_priced else None


def labelled(
    analysis: NotesAnalysis, claim: Claim, clusters: Sequence[Cluster], paragraphs: Sequence[Paragraph], tell: Tell
) -> list[Cluster]:
    """The clusters with names from the model of the analysis.

    Without a usable answer, a cluster keeps its characteristic words.

    Raises ProviderFatal, OverBudget and ClaimLost.
    """
    agent = analysis.labels_by
    assert agent is not None
    llm = connected_llm(agent, timeout_seconds=SECONDS)
    labels: dict[str, str] = dict(analysis.labels)
    labelled_clusters = []
    for index, cluster in enumerate(clusters):
        rows = _rows(cluster, paragraphs)
        key = hashlib.sha256(json.dumps([SYSTEM, PROMPT, rows]).encode()).hexdigest()[:32]
        if key not in labels:
            prompt = PROMPT.replace("{data}", as_data(rows))
            request, still_wanted = Request(SYSTEM, prompt, ()), partial(tell, index, len(clusters))
            call, reply = agent_query(analysis.payer, agent, llm, request, still_wanted)
            labels[key] = label_of(reply.text)
            settle_and_store(call, claims, claim, partial(claims.mine(claim).update, labels=labels))
        labelled_clusters.append(replace(cluster, label=labels[key] or cluster.label))
    return labelled_clusters


def label_of(text: str) -> str:
    """The first line of an answer without quotation marks, shortened; empty if it has no letters."""
    lines = [line.strip(" \t\"'“”*#.") for line in storable(text).splitlines()]
    line = next((line for line in lines if any(map(str.isalnum, line))), "")
    return line if len(line) <= LONGEST_LABEL else line[: LONGEST_LABEL - 1] + "…"


def _rows(cluster: Cluster, paragraphs: Sequence[Paragraph]) -> list[dict[str, str]]:
    """The data of a query: the characteristic words of the cluster, and its paragraphs nearest to the centre."""
    return [{"words": cluster.label}, *({"text": paragraphs[index].text[:CHARACTERS]} for index in cluster.nearest)]
