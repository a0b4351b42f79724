"""What the model calls of a run hold, by playing its first periods dry (agents.rehearsal) and extending them.

The history that an agent reads grows by about the same in each period, so the size of each query grows linearly.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.options import LLMOptions
from agents.providers import PROVIDERS
from agents.providers.chat import ChatAPI
from agents.rehearsal import Chats, Moment, Query, chats, rehearse, sampled_questions
from environments.base import Environment, Instance
from environments.registry import ENVIRONMENTS, generate
from environments.survey import Survey

BYTES_PER_TOKEN = 4.0
CACHED_FROM = 1024.0
"""Providers cache no prefix shorter than this, in tokens."""

GAMES_KEPT = 64
"""More than a launch has; each holds an instance and the texts of a few chats."""

SAMPLES_KEPT = 2048

Numbers = NDArray[np.float64]


class Game(NamedTuple):
    """What decides the prompts of a run. `settings` is JSON, empty without custom ones."""

    environment: str
    difficulty: str
    seed: int
    generator: str
    settings: str
    variant: str
    reasoning: bool


@dataclass(frozen=True)
class Volume:
    """The queries of one seat over a run, in tokens; an entry of the arrays stands for `times` queries of one size.

    cached: the part of the input that begins like the query before it, which providers keep
    output: the calls of the replies, without what a model writes or thinks beside them
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
    """The volumes of one seat in both ways of making calls, as in agents.rehearsal."""

    together: Volume
    one_by_one: Volume


@dataclass(frozen=True)
class Length:
    """How a run is played. `queries_wait` is False where the queries of a run are independent of each other."""

    periods: int
    seats: tuple[str, ...]
    queries_wait: bool


def game_length(game: Game, periods: int | None) -> Length:
    whole = _whole(game._replace(reasoning=False))
    return replace(whole, periods=min(periods or whole.periods, whole.periods))


def dry_run(game: Game, periods: int, seat: str, options: LLMOptions) -> Dry:
    """What one seat's queries hold in a run of so many periods, in the wire format of `options`."""
    # The name of the model is the only part of the options that adds to a query but does not shape it.
    shape = replace(options, model="", base_url="")
    extra = len(options.model)
    together, one_by_one = _samples(game, seat, shape, periods)
    return Dry(_extended(together, periods, extra), _extended(one_by_one, periods, extra))


@lru_cache(GAMES_KEPT)
def _instance(game: Game) -> Instance:
    settings = json.loads(game.settings) if game.settings else None
    return generate(
        game.environment, game.difficulty, game.seed, game.generator, settings=settings, with_reference=False
    )


def _open(game: Game, periods: int | None = None) -> Environment:
    # One instance for all variants and wordings.
    instance = _instance(game._replace(variant="", reasoning=False))
    return ENVIRONMENTS[game.environment](instance, variant=game.variant, reasoning=game.reasoning, periods=periods)


@dataclass(frozen=True)
class _Sample:
    """Rows of sizes in bytes, a row of queries for each of `periods`; `times` of a row where it stands for others."""

    periods: tuple[int, ...]
    input: Numbers
    output: Numbers
    times: float | None = None


@lru_cache(GAMES_KEPT)
def _whole(game: Game) -> Length:
    environment = _open(game)
    return Length(environment.periods, environment.seats, not isinstance(environment, Survey))


@lru_cache(GAMES_KEPT)
def _moments(game: Game) -> list[Moment]:
    return rehearse(_open(game))


@lru_cache(GAMES_KEPT)
def _chats(game: Game, seat: str) -> dict[int, Chats]:
    """By period. What is done in a game does not depend on the wording, so both wordings share it."""
    environment = _open(game)
    found = {}
    for moment in _moments(game._replace(reasoning=False)):
        for outcome in moment.outcomes[environment.period :]:
            environment.take(outcome)
        found[environment.period] = chats(environment, moment, seat)
    return found


@lru_cache(SAMPLES_KEPT)
def _samples(game: Game, seat: str, shape: LLMOptions, periods: int) -> tuple[_Sample, _Sample]:
    api = PROVIDERS[shape.provider](shape, "")
    survey = _open(game, periods=periods)
    if isinstance(survey, Survey):
        number, queries = sampled_questions(survey)
        # Each question is a chat of its own.
        sizes = np.array([_sent(api, [query]) for query in queries], float).T
        alone = _Sample((0,), sizes, np.array([list(map(_written, queries))], float), number / len(queries))
        return alone, alone
    played = _chats(game, seat)
    together = [_row(api, found.together) for found in played.values()]
    one_by_one = [_row(api, found.one_by_one) for found in played.values()]
    return _sample(tuple(played), together), _sample(tuple(played), one_by_one)


def _sample(periods: tuple[int, ...], rows: Sequence[tuple[Numbers, Numbers]]) -> _Sample:
    return _Sample(periods, np.array([row[0] for row in rows]), np.array([row[1] for row in rows]))


def _row(api: ChatAPI, queries: Sequence[Query]) -> tuple[Numbers, Numbers]:
    return np.array(_sent(api, queries), float), np.array([_written(query) for query in queries], float)


def _sent(api: ChatAPI, queries: Sequence[Query]) -> list[int]:
    """Bytes of each request body of a chat. Each of its messages is written out once, since a chat only grows."""
    bodies = [api.body(query.request) for query in queries]
    frame = len(json.dumps(bodies[-1] | {"messages": []}))
    ends = [0, *accumulate(len(json.dumps(message)) + 2 for message in bodies[-1]["messages"])]
    return [frame + ends[len(body["messages"])] for body in bodies]


def _written(query: Query) -> int:
    calls: list[dict[str, Any]] = [{"name": call.name, "input": call.arguments} for call in query.reply.calls]
    return len(query.reply.text) + sum(len(json.dumps(call)) for call in calls)


def _extended(sample: _Sample, periods: int, extra: int) -> Volume:
    """The sizes of every period of a run: those played, and beyond the second a straight line to the last played."""
    if sample.times is not None:
        sent, written = sample.input + extra, sample.output
        times = np.full(sent.size, sample.times)
        return Volume(times, _tokens(sent), np.zeros(sent.size), _tokens(written))
    sent, written = (_line(rows, sample.periods, periods) for rows in (sample.input, sample.output))
    sent = sent + extra
    before = np.zeros_like(sent)
    before[:, 1:] = sent[:, :-1]
    cached = _tokens(before)
    cached[cached < CACHED_FROM] = 0
    return Volume(np.ones(sent.size), _tokens(sent), cached.ravel(), _tokens(written))


def _line(rows: Numbers, known: Sequence[int], periods: int) -> Numbers:
    if len(known) < 3:
        return rows[np.minimum(np.arange(periods), len(known) - 1)]
    slope = (rows[2] - rows[1]) / (known[2] - known[1])
    later = np.arange(periods)[:, None] - known[1]
    return np.where(later < 0, rows[0], rows[1] + later * slope)


def _tokens(sizes: Numbers) -> Numbers:
    return sizes.ravel() / BYTES_PER_TOKEN
