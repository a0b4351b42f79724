"""What a question would read and cost, before it is asked."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice

from django.db.models import Sum
from django.db.models.functions import Length

from agents.llm import Usage
from agents.prices import PriceList
from agents.providers.learned import Learned
from agents.sizes import DECLARED_OUTPUT_TOKENS
from infrastructure.text.formats import counted
from runs.models import Agent, Note, Run
from workspace.questions.asking import OF_A_PART
from workspace.questions.models import Source
from workspace.questions.texts import FRAME, PART_CHARACTERS, longest_text, texts_of

RUNS_SAMPLED, PERIODS_SAMPLED = 3, 5
CHARACTERS_PER_TOKEN = (5.0, 4.0, 3.0)
"""Characters per token for the low, the expected and the high estimate."""
SIZES = (0.8, 1.0, 1.25)
"""Factors of the sampled sizes for the three estimates."""
REPLY_TOKENS = (300, 1_000, 6_000)
"""Output tokens of one query, thinking included, for the three estimates."""
MERGED_TOKENS = 250
"""Tokens that the findings of one part add to the last query."""


@dataclass(frozen=True)
class QuestionEstimate:
    """The size and cost of a question. Triples are low, expected and high values.

    characters: of the texts, expected; queries: expected number; cost_nano: None without a price
    most_call_nano: the largest amount that is reserved for one call; None without a price
    """

    runs: int
    periods: int
    characters: int
    queries: int
    input_tokens: tuple[int, int, int]
    output_tokens: tuple[int, int, int]
    cost_nano: tuple[int, int, int] | None
    most_call_nano: int | None
    basis: str

    @property
    def sentence(self) -> str:
        return (
            f"It reads {counted(self.periods, 'period,periods')} of {counted(self.runs, 'run,runs')} in about "
            f"{counted(self.queries, 'query,queries')}."
        )


def part_characters(agent: Agent) -> int:
    """The most characters of texts in one query: fewer for a model that is known to read little."""
    most_input = Learned.from_json(agent.learned).most_input
    return PART_CHARACTERS if most_input is None else min(PART_CHARACTERS, 2 * most_input)


def question_estimate(runs: Sequence[Run], sources: Collection[str], agent: Agent) -> QuestionEstimate:
    """The estimate for answering by the model of an agent. Notes are measured; the other texts are sampled."""
    periods = sum(run.periods_played for run in runs)
    sizes = _characters(runs, sources)
    characters = sum(sizes)
    most = part_characters(agent)
    parts = sum(math.ceil(size / most) for size in sizes if size)
    queries = parts + (parts > 1)
    instructions = queries * len(OF_A_PART)
    read = [
        round((factor * characters + instructions) / per_token) + (MERGED_TOKENS * parts if parts > 1 else 0)
        for factor, per_token in zip(SIZES, CHARACTERS_PER_TOKEN, strict=True)
    ]
    written = [queries * tokens for tokens in REPLY_TOKENS]
    prices = agent.prices
    low, expected, high = zip(read, written, strict=True)
    return QuestionEstimate(
        runs=len(runs),
        periods=periods,
        characters=characters,
        queries=queries,
        input_tokens=(read[0], read[1], read[2]),
        output_tokens=(written[0], written[1], written[2]),
        cost_nano=(_cost(prices, queries, *low), _cost(prices, queries, *expected), _cost(prices, queries, *high))
        if prices
        else None,
        most_call_nano=_most_call(prices, agent, min(most, max(sizes, default=0))) if prices else None,
        basis=_basis(runs, sources),
    )


def _cost(prices: PriceList, queries: int, read: int, written: int) -> int:
    """The cost of some equal queries. Prices may depend on the input of one query."""
    each = Usage(input_tokens=math.ceil(read / max(1, queries)), output_tokens=math.ceil(written / max(1, queries)))
    return queries * prices.nano(each)


def _most_call(prices: PriceList, agent: Agent, characters: int) -> int:
    # As `Agent.most_nano` for a request of this size: at most one token a character, and the declared output.
    return prices.most_nano(round(1.2 * characters) + 5_000, agent.max_tokens or DECLARED_OUTPUT_TOKENS)


def _characters(runs: Sequence[Run], sources: Collection[str]) -> list[int]:
    """The estimated characters of the texts of each run."""
    notes = dict.fromkeys((run.pk for run in runs), 0)
    if Source.NOTES in sources:
        lengths = Note.objects.filter(run__in=runs).order_by().values("run").annotate(length=Sum(Length("text")))
        notes |= {row["run"]: row["length"] + FRAME for row in lengths}
    per_period = _sampled(runs, [source for source in sources if source != Source.NOTES])
    return [notes[run.pk] + round(run.periods_played * per_period) for run in runs]


def _sampled(runs: Sequence[Run], sources: Collection[str]) -> float:
    """The mean characters of a period in the first periods of a few runs that are spread over all."""
    if not sources or not runs:
        return 0.0
    sample = _sample(runs)
    ends = [min(PERIODS_SAMPLED, run.periods_played) for run in sample]
    texts = [
        text
        for run, end in zip(sample, ends, strict=True)
        for text in texts_of(run, sources, 0, end - 1, longest_text(PART_CHARACTERS))
    ]
    return sum(len(text.text) + FRAME for text in texts) / max(1, sum(ends))


def _sample(runs: Sequence[Run]) -> list[Run]:
    return list(islice(runs[:: max(1, len(runs) // RUNS_SAMPLED)], RUNS_SAMPLED))


def _basis(runs: Sequence[Run], sources: Collection[str]) -> str:
    """A sentence on what the estimate rests on."""
    parts = ["the stored length of the notes"] if Source.NOTES in sources else []
    if set(sources) - {Source.NOTES}:
        sampled = counted(len(_sample(runs)), "run,runs")
        parts.append(f"the other texts in the first {PERIODS_SAMPLED} periods of {sampled}")
    low, expected, high = CHARACTERS_PER_TOKEN
    return (
        f"It rests on {' and '.join(parts)}, {low:.0f}, {expected:.0f} or {high:.0f} characters a token, "
        f"{REPLY_TOKENS[0]:,} to {REPLY_TOKENS[2]:,} tokens of output a query, and the prices of the agent."
    )
