"""Calls, tokens and times of an agent's finished runs, relative to rehearsals of the same games."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber

from accounts.models import Organization
from environments.base import InvalidSettings
from environments.generation import CUSTOM, base_of
from environments.prompts.variants import base_variant
from environments.registry import ENVIRONMENTS, GENERATION
from runs.engine.players import options_of
from runs.estimating.dry import GameSetup, dry_run, game_length, settings_text
from runs.estimating.spread import EstimatedRange
from runs.models import Agent, Run, RunState
from runs.selectors.runs import WITHOUT_BULK

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
    calls: EstimatedRange
    input: EstimatedRange
    output: EstimatedRange
    seconds: EstimatedRange
    cached: float


Key = tuple[int, str]
"""Agent and environment."""


def histories(
    organization: Organization, agents: Iterable[Agent], games: set[GameSetup], seed: int
) -> dict[Key, History]:
    """History by agent and environment. games: those of the launch; seed: of instances to rehearse other games on"""
    by_id = {agent.pk: agent for agent in agents}
    measured: dict[Key, list[tuple[float, ...]]] = defaultdict(list)
    others: set[GameSetup] = set()
    for run in _newest(organization, by_id):
        agent, instance = by_id[run.agent_id], run.instance
        if instance.environment not in ENVIRONMENTS:
            continue
        recipe = (instance.environment, instance.difficulty, seed, instance.generator)
        own = run.prompts.prompt_set if run.prompts else None
        game = GameSetup(
            *recipe, settings_text(instance.difficulty, instance.settings), run.variant, run.reasoning, own
        )
        if not agent.is_baseline and game not in games:
            if game not in others and len(others) == OTHER_GAMES:
                continue
            others.add(game)
        if measures := _measure(run, agent, game):
            measured[agent.pk, instance.environment].append(measures)
    result = {}
    for key, rows in measured.items():
        *ranges, cached = zip(*rows, strict=True)
        calls, input, output, seconds = map(EstimatedRange.of, ranges)
        result[key] = History(len(rows), calls, input, output, seconds, median(cached))
    return result


def _newest(organization: Organization, agent_ids: Iterable[int]) -> QuerySet[Run]:
    # Runs by batch or flex took as long as the makers let them wait.
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


def _measure(run: Run, agent: Agent, game: GameSetup) -> tuple[float, ...] | None:
    """The fields of History for one run."""
    assert run.started_at is not None and run.ended_at is not None
    seconds = (run.ended_at - run.started_at).total_seconds()
    if agent.is_baseline:
        return 0, 0, 0, seconds / run.periods_played, 0
    is_playable = base_variant(game.variant) in ENVIRONMENTS[game.environment].variants
    is_playable &= base_of(game.difficulty) in (*GENERATION[game.environment].difficulties, CUSTOM)
    if not run.queries or not run.input_tokens or agent.endpoint is None or not is_playable:
        return None
    try:
        length = game_length(game, run.periods)
    except InvalidSettings:
        return None
    dry = [dry_run(game, length.periods, seat, options_of(agent)).together for seat in length.seats]
    return (
        run.queries / sum(volume.calls for volume in dry),
        run.input_tokens / sum(volume.input_tokens for volume in dry),
        run.output_tokens / run.queries,
        seconds / run.queries,
        run.cached_tokens / run.input_tokens,
    )
