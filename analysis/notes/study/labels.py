"""Names of clusters from a language model. A paid name is stored and not requested again."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from agents.llm import LLM, Reply, Request, Usage
from agents.sizes import most_input_tokens
from agents.tools import storable
from analysis.notes.models import NotesAnalysis, claims
from analysis.notes.study.calls import call_until_answered, settle_and_store
from analysis.notes.study.selectors import Scope
from analysis.notes.text.clusters import Cluster, Paragraph, number_of_clusters
from infrastructure.claims import Claim
from runs.engine.players import connected_llm
from runs.models import Agent, JobCall

SECONDS = 120.0
CHARACTERS = 600
"""Characters of a paragraph that are sent."""
LONGEST_LABEL = 60
USUAL = Usage(input_tokens=1_700, output_tokens=50)
"""Tokens of one query, for the estimate."""

SYSTEM = "You name groups of similar texts. Answer with the name only: at most six words, no quotation marks."
PROMPT = (
    "These paragraphs are from notes that agents wrote during a task. A clustering put them into one group. The words that "
    "stand out in it are: {words}.\n\n{paragraphs}\n\nWhat do they have in common? Name the group."
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
        prompt = _prompt(cluster, paragraphs)
        key = hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        if key not in labels:
            call, reply = _ask(analysis, agent, llm, prompt, partial(tell, index, len(clusters)))
            labels[key] = label_of(reply.text)
            settle_and_store(call, claim, partial(claims.mine(claim).update, labels=labels))
        labelled_clusters.append(replace(cluster, label=labels[key] or cluster.label))
    return labelled_clusters


def label_of(text: str) -> str:
    """The first line of an answer without quotation marks, shortened; empty if it has no letters."""
    lines = [line.strip(" \t\"'“”*#.") for line in storable(text).splitlines()]
    line = next((line for line in lines if any(map(str.isalnum, line))), "")
    return line if len(line) <= LONGEST_LABEL else line[: LONGEST_LABEL - 1] + "…"


def _prompt(cluster: Cluster, paragraphs: Sequence[Paragraph]) -> str:
    numbered = "\n\n".join(
        f"{number}. {paragraphs[index].text[:CHARACTERS]}" for number, index in enumerate(cluster.nearest, 1)
    )
    return PROMPT.replace("{words}", cluster.label).replace("{paragraphs}", numbered)


def _ask(
    analysis: NotesAnalysis, agent: Agent, llm: LLM, prompt: str, still_wanted: Callable[[], None]
) -> tuple[JobCall, Reply]:
    assert agent.endpoint is not None
    request = Request(SYSTEM, prompt, ())
    return call_until_answered(
        analysis,
        still_wanted,
        endpoint=agent.endpoint,
        model=agent.model,
        most_nano=agent.most_nano(request),
        tokens=most_input_tokens(request),
        send=partial(llm.query, request),
        cost_nano=agent.cost_nano,
        agent=agent,
    )
