"""What one seat of a run takes: its dry episode, corrected by the agent's history or by what is usual for its kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.llm import Usage
from agents.prices import PriceList
from runs.engine.players import options_of
from runs.engine.survey import QUERIES_AT_ONCE
from runs.estimating.dry import Dry, Game, Length, Volume, dry_run
from runs.estimating.history import History
from runs.estimating.spread import Spread
from runs.models import Agent

TEXT_TOKENS = {False: Spread(20, 100, 400), True: Spread(200, 1_200, 4_000)}
"""What a model writes and thinks in a reply beside its calls, by whether it is a reasoning model."""

SECONDS_PER_CALL = {False: Spread(1, 4, 12), True: Spread(4, 15, 60)}
BASELINE_SECONDS_PER_PERIOD = Spread(0.01, 0.03, 0.1)
TOKENIZER = (0.85, 1.25)
"""Tokens by the models' own count, as multiples of those by bytes."""


@dataclass(frozen=True)
class Taking:
    calls: float
    input_tokens: Spread
    output_tokens: Spread
    cost_nano: Spread
    seconds: Spread

    def __add__(self, other: Taking) -> Taking:
        return Taking(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_nano + other.cost_nano,
            self.seconds + other.seconds,
        )

    def times(self, number: float) -> Taking:
        return Taking(
            self.calls * number,
            self.input_tokens.times(number),
            self.output_tokens.times(number),
            self.cost_nano.times(number),
            self.seconds.times(number),
        )


ZERO = Spread(0, 0, 0)
NOTHING = Taking(0, ZERO, ZERO, ZERO, ZERO)


def baseline_takes(length: Length, history: History | None) -> Taking:
    per_period = history.seconds if history else BASELINE_SECONDS_PER_PERIOD
    return Taking(0, ZERO, ZERO, ZERO, per_period.times(length.periods))


def model_takes(agent: Agent, game: Game, length: Length, seat: str, history: History | None) -> Taking:
    dry = dry_run(game, length.periods, seat, options_of(agent))
    cases = _from_history(dry.together, history) if history else _usual(dry, agent, length)
    low, expected, high = (case.of(agent.prices) for case in cases)
    return Taking(
        expected[0],
        Spread(low[1], expected[1], high[1]),
        Spread(low[2], expected[2], high[2]),
        Spread(low[3], expected[3], high[3]),
        Spread(low[4], expected[4], high[4]),
    )


@dataclass(frozen=True)
class _Case:
    """One way that it may come: the low, the expected or the high one.

    calls, input: multiples of the volume's; output: tokens of a call; seconds: of a call
    cached: share of the input that is read from the provider's cache, None for as much as the volume allows
    """

    volume: Volume
    calls: float
    input: float
    output: float
    seconds: float
    cached: float | None

    def of(self, prices: PriceList | None) -> tuple[float, float, float, float, float]:
        """Calls, input tokens, output tokens, billionths of a dollar, seconds."""
        calls = self.volume.calls * self.calls
        sent, written = self.volume.input_tokens * self.input, calls * self.output
        return calls, sent, written, self._nano(prices) if prices else 0.0, calls * self.seconds

    def _nano(self, prices: PriceList) -> float:
        volume = self.volume
        sizes = volume.input * self.input / self.calls
        share = volume.cached / volume.input if self.cached is None else np.full(sizes.size, self.cached)
        thresholds = sorted(above for above, _ in prices.tiers)
        tiers = np.searchsorted(thresholds, sizes, side="left")
        total = 0.0
        for tier in np.unique(tiers):
            here = tiers == tier
            times = volume.times[here] * self.calls
            sent = round(float(times @ sizes[here]))
            kept = round(float(times @ (sizes * share)[here]))
            # A provider that charges for writing to its cache is asked to keep the end of every chat.
            kept_anew = sent - kept if kept and prices.base.cache_write is not None else 0
            usage = Usage(sent, kept, kept_anew, round(float(times.sum()) * self.output))
            total += prices.rates(float(sizes[here].max())).nano(usage)
        return total


def _usual(dry: Dry, agent: Agent, length: Length) -> list[_Case]:
    """Low and expected: all data in one query of a period. High: each tool in a query of its own, nothing cached."""
    text, seconds = TEXT_TOKENS[agent.reasoning], SECONDS_PER_CALL[agent.reasoning]
    if not length.queries_wait:
        seconds = seconds.times(1 / QUERIES_AT_ONCE)
    less, more = TOKENIZER
    cases = (
        (dry.together, less, text.low, seconds.low, None),
        (dry.together, 1.0, text.expected, seconds.expected, None),
        (dry.one_by_one, more, text.high, seconds.high, 0.0),
    )
    return [
        _Case(volume, 1.0, tokens, tokens * volume.output_tokens / volume.calls + beside, each, cached)
        for volume, tokens, beside, each, cached in cases
    ]


def _from_history(volume: Volume, history: History) -> list[_Case]:
    return [
        _Case(
            volume,
            getattr(history.calls, name),
            getattr(history.input, name),
            getattr(history.output, name),
            getattr(history.seconds, name),
            history.cached,
        )
        for name in ("low", "expected", "high")
    ]
