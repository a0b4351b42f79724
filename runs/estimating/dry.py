"""Sizes of the queries of a run: the first periods are rehearsed without a model (agents.rehearsal), then extrapolated.

The extrapolation is linear, because the history that an agent reads grows by about the same amount each period.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.options import LLMOptions
from agents.providers.client import Client
from agents.providers.formats.wire_format import Plan
from agents.rehearsal import Chats, Moment, RehearsedQuery, chats, rehearse, sampled_questions
from environments.base import Environment, Instance
from environments.generation import CUSTOM, base_of
from environments.prompts.own import OwnPrompts
from environments.registry import ENVIRONMENTS, generate
from environments.survey import Survey

LESS, MORE = 0.9, 1.2
"""Factors that widen a measured range, because the next value may lie outside it."""


@dataclass(frozen=True)
class EstimatedRange:
    low: float
    expected: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> EstimatedRange:
        """The expected range of the next value, given the measured values."""
        return cls(LESS * min(values), median(values), MORE * max(values))

    def __add__(self, other: EstimatedRange) -> EstimatedRange:
        return EstimatedRange(self.low + other.low, self.expected + other.expected, self.high + other.high)

    def __mul__(self, other: EstimatedRange) -> EstimatedRange:
        return EstimatedRange(self.low * other.low, self.expected * other.expected, self.high * other.high)

    def times(self, factor: float) -> EstimatedRange:
        return EstimatedRange(self.low * factor, self.expected * factor, self.high * factor)

    def largest(self, other: EstimatedRange) -> EstimatedRange:
        return EstimatedRange(max(self.low, other.low), max(self.expected, other.expected), max(self.high, other.high))


BYTES_PER_TOKEN = 4.0
CACHED_FROM = 1024.0
"""Shortest prefix that providers cache, in tokens."""

GAMES_KEPT = 64
"""Size of the caches of games. A launch has fewer; each entry holds an instance and the texts of a few chats."""

SAMPLES_KEPT = 2048

Numbers = NDArray[np.float64]


class GameSetup(NamedTuple):
    """Everything that determines the prompts of a run. `settings`: custom settings as JSON, empty without them."""

    environment: str
    difficulty: str
    seed: int
    generator: str
    settings: str
    variant: str
    reasoning: bool
    prompts: OwnPrompts | None = None


def settings_text(difficulty: str, settings: Mapping[str, Any] | None) -> str:
    """The field `settings` of a GameSetup: the settings of a custom difficulty as JSON, else empty."""
    return json.dumps(dict(settings or {}), sort_keys=True) if base_of(difficulty) == CUSTOM else ""


@dataclass(frozen=True)
class Volume:
    """The queries of one seat over a run, in tokens. Each array entry stands for `times` queries of that size.

    cached: the part of the input that repeats the previous query, which providers cache
    output: the tool calls of the replies, without text and reasoning
    """

    times: Numbers
    input: Numbers
    cached: Numbers
    output: Numbers

    @property
    def calls(self) -> float:
        return float(self.times.sum())

    @property
    def input_tokens(self) -> float:
        return float(self.times @ self.input)

    @property
    def output_tokens(self) -> float:
        return float(self.times @ self.output)


@dataclass(frozen=True)
class Dry:
    """The volumes of one seat if the model makes many tool calls in one reply (`together`), or one in each (`one_by_one`)."""

    together: Volume
    one_by_one: Volume


@dataclass(frozen=True)
class Length:
    """Periods and seats of a run. `queries_wait` is False if its queries are independent of each other."""

    periods: int
    seats: tuple[str, ...]
    queries_wait: bool


@lru_cache(GAMES_KEPT)
def game_length(game: GameSetup, periods: int | None) -> Length:
    whole = _open(game)
    return Length(min(periods or whole.periods, whole.periods), whole.seats, not isinstance(whole, Survey))


def dry_run(game: GameSetup, periods: int, seat: str, options: LLMOptions) -> Dry:
    """The queries of one seat in a run of `periods` periods, in the wire format of `options`."""
    # Without the model's name, all agents of a provider share the cache. The name adds only its length to each query.
    samples = _samples(game, seat, replace(options, model="", base_url=""), periods)
    return Dry(*(_extended(sample, periods, extra=len(options.model)) for sample in samples))


@lru_cache(GAMES_KEPT)
def _instance(environment: str, difficulty: str, seed: int, generator: str, settings: str, variant: str) -> Instance:
    custom = json.loads(settings) if settings else None
    return generate(environment, difficulty, seed, generator, variant=variant, settings=custom, with_reference=False)


def _open(game: GameSetup, periods: int | None = None) -> Environment:
    return ENVIRONMENTS[game.environment](
        _instance(*game[:6]),
        variant=game.variant,
        reasoning=game.reasoning,
        periods=periods,
        prompts=game.prompts,
    )


@dataclass(frozen=True)
class _Sample:
    """Sizes of queries and replies in bytes, one row per item of `periods`.

    times: number of questions that each query of a survey represents; None for other games
    """

    periods: tuple[int, ...]
    input: Numbers
    output: Numbers
    times: float | None = None


@lru_cache(GAMES_KEPT)
def _moments(game: GameSetup) -> list[Moment]:
    return rehearse(_open(game))


@lru_cache(GAMES_KEPT)
def _chats(game: GameSetup, seat: str) -> dict[int, Chats]:
    """The chats of a seat, by period. The moments are the same with and without `reasoning`, so they are rehearsed once."""
    environment = _open(game)
    chats_by_period = {}
    for moment in _moments(game._replace(reasoning=False)):
        for outcome in moment.outcomes[environment.period :]:
            environment.take(outcome)
        chats_by_period[environment.period] = chats(environment, moment, seat)
    return chats_by_period


@lru_cache(SAMPLES_KEPT)
def _samples(game: GameSetup, seat: str, shape: LLMOptions, periods: int) -> tuple[_Sample, _Sample]:
    client = Client(shape, "")
    survey = _open(game, periods=periods)
    if isinstance(survey, Survey):
        number, queries = sampled_questions(survey)
        # Each question is a chat of its own.
        sizes = np.array([_sent(client, [query]) for query in queries], float).T
        alone = _Sample((0,), sizes, np.array([list(map(_written, queries))], float), number / len(queries))
        return alone, alone
    chats_by_period = _chats(game, seat)
    together, one_by_one = (
        _Sample(
            tuple(chats_by_period),
            np.array([_sent(client, queries) for queries in chats], float),
            np.array([list(map(_written, queries)) for queries in chats], float),
        )
        for chats in zip(*((pair.together, pair.one_by_one) for pair in chats_by_period.values()), strict=True)
    )
    return together, one_by_one


def _sent(client: Client, queries: Sequence[RehearsedQuery]) -> list[int]:
    """The size in bytes of each request body of a chat. A chat only grows, so each message is serialized once."""
    wire = client.format_of(client.learned)
    bodies = [wire.body(Plan(query.request, client.options))[0] for query in queries]
    frame = len(json.dumps(bodies[-1] | {wire.chat: []}))
    ends = [0, *accumulate(len(json.dumps(message)) + 2 for message in bodies[-1][wire.chat])]
    return [frame + ends[len(body[wire.chat])] for body in bodies]


def _written(query: RehearsedQuery) -> int:
    calls = (json.dumps({"name": call.name, "input": call.arguments}) for call in query.reply.calls)
    return len(query.reply.text) + sum(map(len, calls))


def _extended(sample: _Sample, periods: int, extra: int) -> Volume:
    """Extend the rehearsed sizes to all periods, linearly from the second on. `extra`: bytes added to each query."""
    sent, written, times = sample.input, sample.output, sample.times
    if times is None:
        sent, written = (_line(rows, sample.periods, periods) for rows in (sent, written))
    sent = sent + extra
    before = np.zeros_like(sent)
    if times is None:
        before[:, 1:] = sent[:, :-1]
    cached = _tokens(before)
    cached[cached < CACHED_FROM] = 0
    return Volume(np.full(sent.size, times or 1.0), _tokens(sent), cached, _tokens(written))


def _line(rows: Numbers, known_periods: Sequence[int], periods: int) -> Numbers:
    if len(known_periods) < 3:
        return rows[np.minimum(np.arange(periods), len(known_periods) - 1)]
    slope = (rows[2] - rows[1]) / (known_periods[2] - known_periods[1])
    later = np.arange(periods)[:, None] - known_periods[1]
    return np.where(later < 0, rows[0], rows[1] + later * slope)


def _tokens(sizes: Numbers) -> Numbers:
    return sizes.ravel() / BYTES_PER_TOKEN
