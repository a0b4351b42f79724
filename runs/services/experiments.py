from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F

import environments.base
from accounts.models import Action, Organization, User
from accounts.services import audit_record
from agents.loop import MAX_ATTEMPTS, MAX_QUERIES
from environments.generation import CUSTOM, Recipe
from environments.registry import ENVIRONMENTS, GENERATION
from infrastructure.text.formats import counted
from infrastructure.transactions import write_transaction
from infrastructure.wake_ups import wake
from runs.engine.players import options_of
from runs.engine.writing.group_commit import group_commit
from runs.estimating.estimates import estimate
from runs.launching.plan import LaunchPlan, PlannedRun, format_seeds, plan_runs
from runs.models import Agent, ExchangeState, Experiment, Instance, Run, RunState
from runs.tasks import ADVANCE

MAX_NAME_LENGTH = 200
CODE_VERSION = "0.1.0"


Key = tuple[str, str, int]
"""Environment, difficulty, seed."""


@dataclass(frozen=True)
class Drawing:
    """The runs of a plan, what their instances are drawn from, and what they are expected to take."""

    planned: list[PlannedRun]
    recipes: dict[Key, Recipe]
    estimate: dict[str, Any]


def launch_draw(*, plan: LaunchPlan, organization: Organization) -> Drawing:
    """What a launch needs that can be made ready before its transaction. The instances are drawn by workers.

    Raises LaunchError with a sentence for each wrong field.
    """
    planned = plan_runs(plan)
    keys = {(run.environment, run.difficulty, run.seed): None for run in planned}
    recipes = {key: _recipe(plan, *key) for key in keys}
    _name_recipes(organization, plan, recipes)
    return Drawing(planned, recipes, estimate(plan, organization).as_json())


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

    A caller with a transaction of its own makes the drawing before it, so that nobody waits for it.
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
        instances = _instances(organization, drawn.recipes)
        Run.objects.bulk_create(_rows(experiment, plan, drawn, instances), batch_size=500)
    transaction.on_commit(lambda: wake(ADVANCE, len(planned)))
    return experiment


def _recipe(plan: LaunchPlan, environment: str, difficulty: str, seed: int) -> Recipe:
    generation = GENERATION[environment]
    is_custom = difficulty == CUSTOM
    settings = generation.checked(plan.settings or {}) if is_custom else dict(generation.difficulties[difficulty])
    return Recipe(environment, difficulty, seed, plan.generator, settings)


def _name_recipes(organization: Organization, plan: LaunchPlan, recipes: dict[Key, Recipe]) -> None:
    """Find instances of these recipes among rows without one, which are older or imported, so that runs share them."""
    rows = Instance.objects.filter(
        organization=organization,
        recipe=None,
        environment__in=plan.environments,
        difficulty__in=plan.difficulties,
        seed__in=plan.seeds,
        generator=plan.generator,
    )
    for row in rows.defer("parameters", "hidden", "reference"):
        recipe = recipes.get((row.environment, row.difficulty, row.seed))
        if recipe is None or recipe.settings != row.settings:
            continue
        drawn = GENERATION[row.environment].drawn(recipe, with_reference=False)
        is_known = Instance.objects.filter(organization=organization, recipe=recipe.hash).exists()
        if drawn.content_hash == row.content_hash and not is_known:
            Instance.objects.filter(pk=row.pk).update(recipe=recipe.hash)


def _instances(organization: Organization, recipes: dict[Key, Recipe]) -> dict[Key, int]:
    """The number of the row of each recipe. New rows are not drawn yet."""
    known = _numbers(organization, recipes)
    new = [Instance.undrawn(organization, recipe) for key, recipe in recipes.items() if key not in known]
    if not new:
        return known
    # Of two launches at the same moment the second one takes the rows of the first.
    Instance.objects.bulk_create(new, batch_size=500, ignore_conflicts=True)
    return _numbers(organization, recipes)


def _numbers(organization: Organization, recipes: dict[Key, Recipe]) -> dict[Key, int]:
    hashes = {recipe.hash: key for key, recipe in recipes.items()}
    rows = Instance.objects.filter(organization=organization, recipe__in=list(hashes))
    return {hashes[recipe]: number for recipe, number in rows.values_list("recipe", "id")}


def _rows(experiment: Experiment, plan: LaunchPlan, drawn: Drawing, instances: dict[Key, int]) -> list[Run]:
    rows = []
    opened: dict[tuple[str, str, str], environments.base.Environment] = {}
    for run in drawn.planned:
        # Seats, periods and prompts depend on the settings and not on the seed.
        kind = (run.environment, run.difficulty, run.variant)
        key = (run.environment, run.difficulty, run.seed)
        if kind not in opened:
            problem = GENERATION[run.environment].drawn(drawn.recipes[key], with_reference=False)
            opened[kind] = ENVIRONMENTS[run.environment](problem, variant=run.variant)
        environment = opened[kind]
        rows.append(
            Run(
                organization_id=experiment.organization_id,
                experiment=experiment,
                instance_id=instances[key],
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
        group_commit.close_orphans(run_id, fence)
    with write_transaction():
        subject = f"{experiment.name}, {counted(runs.count(), 'run,runs')}"
        audit_record(
            organization=experiment.organization, actor=actor, action=Action.EXPERIMENT_DELETED, subject=subject
        )
        experiment.delete()
