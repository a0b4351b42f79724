"""Calls, tokens and times of an agent's finished runs, relative to rehearsals of the same games."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

from django.db.models import F, Window
from django.db.models.functions import RowNumber

from accounts.models import Organization
from environments.base import InvalidSettings
from environments.generation import CUSTOM
from environments.registry import ENVIRONMENTS, GENERATION
from runs.engine.players import options_of
from runs.estimating.dry import Game, dry_run, game_length
from runs.estimating.spread import Spread
from runs.models import Agent, Run, RunState

RUNS_READ = 20
"""Only the newest finished runs of an agent in an environment count."""

OTHER_GAMES = 6
"""Games outside the launch that are rehearsed to compare past runs with them."""


@dataclass(frozen=True)
class History:
    """Past runs of an agent in an environment.

    calls, input: as multiples of a rehearsal; output: tokens of a call
    seconds: of a call, for baselines of a period; cached: share of the input that the provider's cache had
    """

    runs: int
    calls: Spread
    input: Spread
    output: Spread
    seconds: Spread
    cached: float


Key = tuple[int, str]
"""Agent and environment."""

COLUMNS = (
    *("agent", "instance__environment", "instance__difficulty", "instance__generator", "instance__settings"),
    *("variant", "reasoning", "periods", "periods_played", "started_at", "ended_at"),
    *("queries", "input_tokens", "cached_tokens", "output_tokens"),
)


def histories(organization: Organization, agents: Iterable[Agent], games: set[Game], seed: int) -> dict[Key, History]:
    """History by agent and environment, for agents with past runs.

    games: the games of the launch; seed: of the instances on which other games are rehearsed
    """
    by_id = {agent.pk: agent for agent in agents}
    measured: dict[Key, list[Measured]] = defaultdict(list)
    others: set[Game] = set()
    for row in _rows(organization, list(by_id)):
        if row["instance__environment"] not in ENVIRONMENTS:
            continue
        game = _game(row, seed)
        if not by_id[row["agent"]].is_baseline and game not in games:
            if game not in others and len(others) == OTHER_GAMES:
                continue
            others.add(game)
        found = _measure(row, by_id[row["agent"]], game)
        if found is not None:
            measured[row["agent"], row["instance__environment"]].append(found)
    return {
        key: History(
            runs=len(found),
            calls=Spread.of([one.calls for one in found]),
            input=Spread.of([one.input for one in found]),
            output=Spread.of([one.output for one in found]),
            seconds=Spread.of([one.seconds for one in found]),
            cached=median(one.cached for one in found),
        )
        for key, found in measured.items()
    }


def _rows(organization: Organization, agent_ids: list[int]) -> Any:
    number = Window(RowNumber(), partition_by=[F("agent"), F("instance__environment")], order_by=F("id").desc())
    return (
        Run.objects.filter(
            organization=organization,
            agent__in=agent_ids,
            rival=None,
            imported=False,
            state=RunState.FINISHED,
            periods_played__gt=0,
            started_at__isnull=False,
            ended_at__isnull=False,
        )
        .annotate(number=number)
        .filter(number__lte=RUNS_READ)
        .order_by("-id")
        .values(*COLUMNS)
    )


def _game(row: dict[str, Any], seed: int) -> Game:
    custom = row["instance__difficulty"] == CUSTOM
    return Game(
        row["instance__environment"],
        row["instance__difficulty"],
        seed,
        row["instance__generator"],
        json.dumps(row["instance__settings"], sort_keys=True) if custom else "",
        row["variant"],
        row["reasoning"],
    )


class Measured(NamedTuple):
    """One run, with the fields of History."""

    calls: float
    input: float
    output: float
    seconds: float
    cached: float


def _measure(row: dict[str, Any], agent: Agent, game: Game) -> Measured | None:
    seconds = (row["ended_at"] - row["started_at"]).total_seconds()
    if agent.is_baseline:
        return Measured(0, 0, 0, seconds / row["periods_played"], 0)
    known = game.variant in ENVIRONMENTS[game.environment].variants
    known &= game.difficulty in (*GENERATION[game.environment].difficulties, CUSTOM)
    if not row["queries"] or not row["input_tokens"] or agent.endpoint is None or not known:
        return None
    try:
        length = game_length(game, row["periods"])
    except InvalidSettings:
        return None
    dry = [dry_run(game, length.periods, seat, options_of(agent)).together for seat in length.seats]
    return Measured(
        row["queries"] / sum(volume.calls for volume in dry),
        row["input_tokens"] / sum(volume.input_tokens for volume in dry),
        row["output_tokens"] / row["queries"],
        seconds / row["queries"],
        row["cached_tokens"] / row["input_tokens"],
    )
