"""Forecast of one seat in a run: a rehearsal, corrected by the agent's finished runs or by usual values for its kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from statistics import median

import numpy as np
from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber

from accounts.models import Organization
from agents.llm import Usage
from agents.prices import PriceList
from environments.base import InvalidSettings
from environments.generation import CUSTOM, base_of
from environments.prompts.variants import base_variant
from environments.registry import ENVIRONMENTS, GENERATION, variant_of
from runs.engine.players import options_of
from runs.engine.survey import QUERIES_AT_ONCE
from runs.estimating import dry as dry_runs
from runs.models import Agent, Run, RunState
from runs.selectors.experiments import WITHOUT_BULK

RUNS_READ = 20
"""Most finished runs that are read per agent and environment, the newest ones."""

OTHER_GAMES = 6
"""Most games outside the launch that are rehearsed to compare past runs with them."""


@dataclass(frozen=True)
class History:
    """Calls, tokens and time of past runs of an agent in an environment.

    calls, input: multiples of the rehearsed values; output: tokens per call
    seconds: per call, for baselines per period; cached: share of the input that the provider's cache served
    """

    runs: int
    calls: dry_runs.EstimatedRange
    input: dry_runs.EstimatedRange
    output: dry_runs.EstimatedRange
    seconds: dry_runs.EstimatedRange
    cached: float


Key = tuple[int, str]
"""Agent id, environment."""


def histories(
    organization: Organization, agents: Iterable[Agent], games: set[dry_runs.GameSetup], seed: int
) -> dict[Key, History]:
    """The past runs by agent and environment.

    games: the games of the launch
    seed: seed of the instances on which other games are rehearsed
    """
    by_id = {agent.pk: agent for agent in agents}
    measured: dict[Key, list[tuple[float, ...]]] = defaultdict(list)
    others: set[dry_runs.GameSetup] = set()
    for run in _newest(organization, by_id):
        agent, instance = by_id[run.agent_id], run.instance
        if instance.environment not in ENVIRONMENTS:
            continue
        of_variant = variant_of(instance.environment, run.variant).settings
        settings = {name: value for name, value in instance.settings.items() if name not in of_variant}
        game = dry_runs.GameSetup(
            *(instance.environment, instance.difficulty, seed, instance.generator),
            settings=dry_runs.settings_text(instance.difficulty, settings),
            variant=run.variant,
            reasoning=run.reasoning,
            prompts=run.prompts.prompt_set if run.prompts else None,
        )
        if not agent.is_baseline and game not in games:
            if game not in others and len(others) == OTHER_GAMES:
                continue
            others.add(game)
        if measures := _measure(run, agent, game):
            measured[agent.pk, instance.environment].append(measures)
    return {key: _history(rows) for key, rows in measured.items()}


def _history(rows: list[tuple[float, ...]]) -> History:
    *ranges, cached = zip(*rows, strict=True)
    calls, input, output, seconds = map(dry_runs.EstimatedRange.of, ranges)
    return History(len(rows), calls, input, output, seconds, median(cached))


def _newest(organization: Organization, agent_ids: Iterable[int]) -> QuerySet[Run]:
    # Runs by batch or flex are left out: their time depends on how long the makers let them wait.
    finished = Run.objects.exclude(config__has_any_keys=["batch", "flex"]).filter(
        organization=organization,
        agent__in=agent_ids,
        rival=None,
        imported=False,
        state=RunState.FINISHED,
        periods_played__gt=0,
        started_at__isnull=False,
        ended_at__isnull=False,
    )
    number = Window(RowNumber(), partition_by=[F("agent"), F("instance__environment")], order_by=F("id").desc())
    newest = finished.annotate(number=number).filter(number__lte=RUNS_READ).order_by("-id")
    return newest.select_related("instance", "prompts").defer(*WITHOUT_BULK)


def _measure(run: Run, agent: Agent, game: dry_runs.GameSetup) -> tuple[float, ...] | None:
    """The fields of History for one run. None if it cannot be compared with a rehearsal."""
    assert run.started_at is not None and run.ended_at is not None
    seconds = (run.ended_at - run.started_at).total_seconds()
    if agent.is_baseline:
        return 0, 0, 0, seconds / run.periods_played, 0
    has_variant = base_variant(game.variant) in ENVIRONMENTS[game.environment].variants
    has_difficulty = base_of(game.difficulty) in (*GENERATION[game.environment].difficulties, CUSTOM)
    if not (run.queries and run.input_tokens and agent.endpoint and has_variant and has_difficulty):
        return None
    try:
        length = dry_runs.game_length(game, run.periods)
    except InvalidSettings:
        return None
    dry = [dry_runs.dry_run(game, length.periods, seat, options_of(agent)).together for seat in length.seats]
    return (
        run.queries / sum(volume.calls for volume in dry),
        run.input_tokens / sum(volume.input_tokens for volume in dry),
        run.output_tokens / run.queries,
        seconds / run.queries,
        run.cached_tokens / run.input_tokens,
    )


TEXT_TOKENS = {False: dry_runs.EstimatedRange(20, 100, 400), True: dry_runs.EstimatedRange(200, 1_200, 4_000)}
"""Tokens of text and reasoning in a reply, besides its calls. The key is whether the model reasons."""

SECONDS_PER_CALL = {False: dry_runs.EstimatedRange(1, 4, 12), True: dry_runs.EstimatedRange(4, 15, 60)}
BASELINE_SECONDS_PER_PERIOD = dry_runs.EstimatedRange(0.01, 0.03, 0.1)
TOKENIZER = (0.85, 1.0, 1.25)
"""Low, expected and high ratio of the tokens that a model counts to our estimate from bytes."""

ROW_BYTES = dry_runs.EstimatedRange(900, 1_500, 2_500)
"""Bytes on the disk per call without the text of the model: rows with indexes, and results of tools."""

WRITTEN_BYTES = dry_runs.EstimatedRange(0.2, 1, 2)
"""Compressed bytes on the disk per output token: low if thinking comes as a short summary, high if it comes in full."""

BASELINE_BYTES_PER_PERIOD = dry_runs.EstimatedRange(2_000, 5_000, 8_000)
ZERO = dry_runs.EstimatedRange(0, 0, 0)


@dataclass(frozen=True)
class Forecast:
    """Calls, tokens, cost, time and disk space of a run or of one of its seats.

    kept_bytes: permanent growth of the database
    open_bytes: further growth while a period is open: thinking that later queries of the period must send back
    """

    calls: dry_runs.EstimatedRange = ZERO
    input_tokens: dry_runs.EstimatedRange = ZERO
    output_tokens: dry_runs.EstimatedRange = ZERO
    cost_nano: dry_runs.EstimatedRange = ZERO
    seconds: dry_runs.EstimatedRange = ZERO
    kept_bytes: dry_runs.EstimatedRange = ZERO
    open_bytes: dry_runs.EstimatedRange = ZERO

    def __add__(self, other: Forecast) -> Forecast:
        return Forecast(*map(add, vars(self).values(), vars(other).values()))

    def times(self, number: float) -> Forecast:
        return Forecast(*(spread.times(number) for spread in vars(self).values()))


def sum_of(forecasts: Iterable[Forecast]) -> Forecast:
    return reduce(add, forecasts, Forecast())


def seat_forecast(
    agent: Agent, game: dry_runs.GameSetup, length: dry_runs.Length, seat: str, history: History | None
) -> Forecast:
    if agent.is_baseline:
        per_period = Forecast(
            seconds=history.seconds if history else BASELINE_SECONDS_PER_PERIOD, kept_bytes=BASELINE_BYTES_PER_PERIOD
        )
        return per_period.times(length.periods)
    dry = dry_runs.dry_run(game, length.periods, seat, options_of(agent))
    if history:
        spreads = (history.calls, history.input, history.output, history.seconds)
        cases = [
            _case(agent.prices, dry.together, calls, input, output, each, history.cached)
            for calls, input, output, each in zip(*(vars(spread).values() for spread in spreads), strict=True)
        ]
    else:
        text, seconds = TEXT_TOKENS[agent.reasoning], SECONDS_PER_CALL[agent.reasoning]
        if not length.queries_wait:
            seconds = seconds.times(1 / min(QUERIES_AT_ONCE, agent.calls_at_once or QUERIES_AT_ONCE))
        # Low and expected: in each period one query calls all reading tools. High: one query for each, nothing cached.
        ways = ((dry.together, None), (dry.together, None), (dry.one_by_one, 0.0))
        kinds = zip(ways, TOKENIZER, vars(text).values(), vars(seconds).values(), strict=True)
        cases = [
            _case(
                agent.prices, volume, 1.0, tokens, tokens * volume.output_tokens / volume.calls + beside, each, cached
            )
            for (volume, cached), tokens, beside, each in kinds
        ]
    calls, _, output, *_ = ranges = [dry_runs.EstimatedRange(*values) for values in zip(*cases, strict=True)]
    # A question of a survey is a chat with a single reply, so no thinking is sent back.
    held_bytes = dry_runs.BYTES_PER_TOKEN / length.periods if agent.reasoning and length.queries_wait else 0
    kept_bytes = calls * ROW_BYTES + output * WRITTEN_BYTES
    return replace(Forecast(*ranges), kept_bytes=kept_bytes, open_bytes=output.times(held_bytes))


def _case(
    prices: PriceList | None,
    volume: dry_runs.Volume,
    calls: float,
    input: float,
    output: float,
    seconds: float,
    cached: float | None,
) -> tuple[float, float, float, float, float]:
    """The low, expected or high case: calls, input tokens, output tokens, billionths of a dollar, seconds.

    calls, input: multiples of the volume; output, seconds: per call
    cached: share of the input that the provider's cache serves; None for the share in the volume
    """
    number = volume.calls * calls
    total = 0.0
    if prices:
        sizes = volume.input * input / calls
        share = volume.cached / volume.input if cached is None else np.full(sizes.size, cached)
        tiers = np.searchsorted(sorted(above for above, _ in prices.tiers), sizes, side="left")
        for tier in np.unique(tiers):
            here = tiers == tier
            times = volume.times[here] * calls
            sent = round(float(times @ sizes[here]))
            kept = round(float(times @ (sizes * share)[here]))
            # If cache writes have a price, each call also pays for writing the new end of its chat.
            kept_anew = sent - kept if kept and prices.base.cache_write is not None else 0
            usage = Usage(sent, kept, kept_anew, round(float(times.sum()) * output))
            total += prices.rates(float(sizes[here].max())).nano(usage)
    return number, volume.input_tokens * input, number * output, total, number * seconds
