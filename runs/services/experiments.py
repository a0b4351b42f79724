from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F

import environments.base
from accounts.models import Action, Organization, User
from accounts.services import audit_record
from agents.loop import MAX_ATTEMPTS, MAX_QUERIES
from econevals_site.templatetags.formats import counted
from environments.generation import CUSTOM
from environments.registry import ENVIRONMENTS, generate
from runs.engine.bookkeeper import bookkeeper
from runs.engine.players import options_of
from runs.engine.writing import write_transaction
from runs.estimates import estimate
from runs.launching import LaunchPlan, PlannedRun, format_seeds, plan_runs
from runs.models import Agent, ExchangeState, Experiment, Instance, Run, RunState
from runs.tasks import wake

MAX_NAME_LENGTH = 200
CODE_VERSION = "0.1.0"


@dataclass(frozen=True)
class Game:
    """An instance as the environments know it, and its row."""

    problem: environments.base.Instance
    row: Instance


@dataclass(frozen=True)
class Drawing:
    """The runs of a plan, their instances by environment, difficulty and seed, and what they are expected to take."""

    planned: list[PlannedRun]
    problems: dict[tuple[str, str, int], environments.base.Instance]
    estimate: dict[str, Any]


def launch_draw(*, plan: LaunchPlan, organization: Organization) -> Drawing:
    """Draw the instances of a plan: it takes a while for large matrices and writes nothing.

    Raises LaunchError with a sentence for each wrong field.
    """
    planned = plan_runs(plan)
    keys = {(run.environment, run.difficulty, run.seed): None for run in planned}
    expected = estimate(plan, organization).as_json()
    return Drawing(planned, {key: _draw(plan, *key) for key in keys}, expected)


def experiment_launch(
    *,
    organization: Organization,
    user: User | None,
    plan: LaunchPlan,
    name: str = "",
    budget_nano: int | None = None,
    drawn: Drawing | None = None,
) -> Experiment:
    """Create an experiment with all its runs, queued. Raises LaunchError with a sentence for each wrong field.

    A caller with a transaction of its own draws before it, so that nobody waits for the drawing.
    """
    drawn = drawn or launch_draw(plan=plan, organization=organization)
    planned = drawn.planned
    with write_transaction():
        experiment = Experiment.objects.create(
            organization=organization,
            name=name.strip()[:MAX_NAME_LENGTH] or default_name(plan),
            spec=plan.as_spec(),
            budget_nano=budget_nano,
            estimate=drawn.estimate,
            created_by=user,
        )
        games = {key: Game(problem, _instance_row(organization, problem)) for key, problem in drawn.problems.items()}
        Run.objects.bulk_create(_rows(experiment, plan, planned, games), batch_size=500)
    transaction.on_commit(lambda: wake(len(planned)))
    return experiment


def _draw(plan: LaunchPlan, environment: str, difficulty: str, seed: int) -> environments.base.Instance:
    settings = plan.settings if difficulty == CUSTOM else None
    return generate(environment, difficulty, seed, plan.generator, settings=settings, with_reference=False)


def _instance_row(organization: Organization, problem: environments.base.Instance) -> Instance:
    row, _ = Instance.objects.get_or_create(
        organization=organization,
        content_hash=problem.content_hash,
        defaults={
            "environment": problem.environment,
            "difficulty": problem.difficulty,
            "seed": problem.seed,
            "generator": problem.generator,
            "settings": problem.settings,
            "parameters": problem.parameters,
            "hidden": problem.hidden,
            "reference": problem.reference or None,
        },
    )
    return row


def _rows(
    experiment: Experiment,
    plan: LaunchPlan,
    planned: Iterable[PlannedRun],
    games: dict[tuple[str, str, int], Game],
) -> list[Run]:
    rows = []
    opened: dict[tuple[str, str, int, str], environments.base.Environment] = {}
    for run in planned:
        game = games[run.environment, run.difficulty, run.seed]
        key = (run.environment, run.difficulty, run.seed, run.variant)
        if key not in opened:
            opened[key] = ENVIRONMENTS[run.environment](game.problem, variant=run.variant)
        environment = opened[key]
        rows.append(
            Run(
                organization_id=experiment.organization_id,
                experiment=experiment,
                instance=game.row,
                agent=run.agent,
                rival=plan.rival if len(environment.seats) > 1 else None,
                variant=run.variant,
                reasoning=plan.reasoning_for(run.agent),
                periods=min(plan.periods or environment.periods, environment.periods),
                prompt_version=environment.prompt_set.version,
                config=run_config(run.agent),
                budget_nano=plan.run_budget_nano,
            )
        )
    return rows


def run_config(agent: Agent) -> dict[str, object]:
    """What a run was played with, frozen with it."""
    player = {"baseline": agent.baseline} if agent.is_baseline else options_of(agent).as_json()
    return {
        "player": player,
        "max_queries": MAX_QUERIES,
        "max_attempts": MAX_ATTEMPTS,
        "code_version": CODE_VERSION,
    }


def default_name(plan: LaunchPlan) -> str:
    """'Procurement and pricing, BASIC, seeds 0-2'."""
    titles = [
        ENVIRONMENTS[name].title if i == 0 else ENVIRONMENTS[name].title.lower()
        for i, name in enumerate(plan.environments)
    ]
    listed = titles[0] if len(titles) == 1 else f"{', '.join(titles[:-1])} and {titles[-1]}"
    seeds = format_seeds(plan.seeds)
    word = "seed" if seeds.isdigit() else "seeds"
    return f"{listed}, {', '.join(plan.difficulties)}, {word} {seeds}"


def experiment_rename(*, experiment: Experiment, name: str) -> None:
    """Raises ValidationError for the field name."""
    name = name.strip()
    if not 1 <= len(name) <= MAX_NAME_LENGTH:
        raise ValidationError({"name": f"A name has 1 to {MAX_NAME_LENGTH} characters."})
    experiment.name = name
    experiment.save(update_fields=["name"])


def experiment_delete(*, experiment: Experiment, actor: User | None = None) -> None:
    """Delete an experiment with its runs; a worker that holds one finds nothing to write to and stops.

    What it cost stays with the month. Calls in flight are booked there at their declared maximum first.
    """
    runs = Run.objects.filter(experiment=experiment)
    with write_transaction():
        runs.update(fence=F("fence") + 1, state=RunState.CANCELLED, lease_until=None)
    for run_id, fence in runs.filter(exchanges__state=ExchangeState.SENT).distinct().values_list("id", "fence"):
        bookkeeper.close_orphans(run_id, fence)
    with write_transaction():
        subject = f"{experiment.name}, {counted(runs.count(), 'run,runs')}"
        audit_record(
            organization=experiment.organization, actor=actor, action=Action.EXPERIMENT_DELETED, subject=subject
        )
        experiment.delete()
