from collections.abc import Collection, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils.text import get_text_list

import environments.base
from accounts.models import Organization, User
from agents.loop import MAX_QUERIES, max_attempts
from environments.generation import Recipe
from environments.registry import ENVIRONMENTS, GENERATION, under, variant_of
from infrastructure.processes.code_version import code_version
from infrastructure.transactions import wake, write_transaction
from runs.engine import lease
from runs.engine.players import options_of
from runs.estimating.estimates import Estimate, estimate
from runs.events import experiment_launched
from runs.launching.plan import LaunchError, LaunchPlan, format_seeds
from runs.launching.prices import unpriced_error
from runs.models import Agent, Design, Experiment, Instance, PauseCause, PromptVariant, Run, RunState
from runs.models.experiments import MOST_RUNS_AT_ONCE, PRIORITIES, RUNS_AT_ONCE_ERROR
from runs.services.agents import locked_agents
from runs.tasks import ADVANCE


def plan_hold(*, plan: LaunchPlan) -> None:
    """Lock the plan's designs and own prompts. Raises LaunchError if one has changed since the plan was made."""
    changed = "The design {0.difficulty} was changed a moment ago. Look at it, and launch again."
    _hold(plan.designs, Design, ("slug", "settings"), {"difficulties": changed})
    changed = "The prompt {0.variant} was changed, archived or deleted meanwhile. Look at it, then launch."
    _hold(plan.prompts.values(), PromptVariant, ("variant", "version"), {"variants": changed})


def agents_hold(*, plan: LaunchPlan) -> dict[int, Agent]:
    """Lock the plan's agents, because an agent with runs is frozen. Raises LaunchError if one was deleted meanwhile."""
    playing = {run.agent.pk for run in plan.runs}
    agents = locked_agents().order_by("pk").in_bulk(playing)
    if agents.keys() != playing:
        raise LaunchError({"agents": "An agent was deleted a moment ago. Look at the agents, and launch again."})
    return agents


def _hold(
    planned: Collection[Design] | Collection[PromptVariant],
    model: type[Design] | type[PromptVariant],
    names: tuple[str, str],
    errors: Mapping[str, str],
) -> None:
    """Lock the stored rows of the `planned` ones. Raises LaunchError with the errors if one differs in these columns."""
    values = attrgetter(*names)
    locked: QuerySet[Any] = model._default_manager.select_for_update(no_key=True)
    now = locked.filter(pk__in=[row.pk for row in planned], archived_at=None).order_by("pk").in_bulk()
    if changed := [row for row in planned if row.pk not in now or values(now[row.pk]) != values(row)]:
        raise LaunchError({field: sentence.format(changed[0]) for field, sentence in errors.items()})


MAX_NAME_LENGTH = 200


Key = tuple[str, str, int, str]
"""Environment, difficulty and seed of an instance, and the variant that plays it."""


@dataclass(frozen=True)
class PreparedLaunch:
    """Everything that a launch computes before its transaction: the plan, the recipes of its instances, the estimate."""

    plan: LaunchPlan
    recipes: dict[Key, Recipe]
    estimate: Estimate


def launch_prepare(*, plan: LaunchPlan, organization: Organization) -> PreparedLaunch:
    """Compute what a launch needs before its transaction. Workers generate the instances from their recipes later."""
    return PreparedLaunch(plan, recipes_of(plan, organization), estimate(plan, organization))


def recipes_of(plan: LaunchPlan, organization: Organization) -> dict[Key, Recipe]:
    """The recipes of a plan's instances."""
    recipes = {}
    for run in plan.runs:
        key = (run.environment, run.difficulty, run.seed, run.variant)
        if key not in recipes:
            settings = dict(plan.settings_of(run.environment, run.difficulty) or {})
            recipes[key] = under(run.variant, Recipe(*key[:3], plan.generator, settings))
    # Older and imported instances get the recipe that generates the same content, so that new runs share them.
    rows = Instance.objects.filter(
        organization=organization,
        recipe=None,
        environment__in=plan.environments,
        difficulty__in=plan.difficulties,
        seed__in=plan.seeds,
        generator=plan.generator,
    )
    # Such instances are older than the variants with settings of their own.
    usual = {key[:3]: recipe for key, recipe in recipes.items() if not variant_of(key[0], key[3]).settings}
    for row in rows.defer("parameters", "hidden", "reference"):
        recipe = usual.get((row.environment, row.difficulty, row.seed))
        if recipe is None or recipe.settings != row.settings:
            continue
        drawn = GENERATION[row.environment].drawn(recipe, with_reference=False)
        is_known = Instance.objects.filter(organization=organization, recipe=recipe.hash).exists()
        if drawn.content_hash == row.content_hash and not is_known:
            Instance.objects.filter(pk=row.pk).update(recipe=recipe.hash)
    return recipes


def experiment_launch(
    *,
    organization: Organization,
    user: User | None,
    plan: LaunchPlan,
    name: str = "",
    budget_nano: int | None = None,
    prepared: PreparedLaunch | None = None,
) -> Experiment:
    """Create an experiment with all its runs. They are queued, or paused if they belong to a later stage.

    prepared: the result of launch_prepare, to keep a transaction of the caller short
    Raises LaunchError if a design or an own prompt has changed since the plan was made, or if a budget applies to an
    agent without a price.
    """
    prepared = prepared or launch_prepare(plan=plan, organization=organization)
    if sentence := unpriced_error(
        unpriced=prepared.estimate.unpriced,
        organization=organization,
        user=user,
        budgets=(budget_nano, plan.run_budget_nano),
    ):
        raise LaunchError({"agents": sentence})
    with write_transaction():
        experiment = Experiment.objects.create(
            organization=organization,
            name=name.strip()[:MAX_NAME_LENGTH] or default_name(plan),
            spec=plan.as_spec(),
            budget_nano=budget_nano,
            estimate=prepared.estimate.as_json(),
            priority=PRIORITIES[plan.priority],
            runs_at_once=plan.runs_at_once,
            created_by=user,
        )
        Run.objects.bulk_create(runs_of_plan(experiment, plan, prepared.recipes), batch_size=500)
        experiment_launched(experiment, plan)
    transaction.on_commit(lambda: wake(ADVANCE, len(plan.runs)))
    return experiment


def _instances(organization: Organization, recipes: dict[Key, Recipe]) -> dict[Key, int]:
    """The ids of the instances. Missing instances get rows with their recipe; a worker draws their content later."""
    by_hash = {recipes[key].hash: recipes[key] for key in sorted(recipes)}
    rows = Instance.objects.filter(organization=organization, recipe__in=list(by_hash)).values_list("recipe", "id")
    # Another launch may create the same rows at the same moment. Sorted inserts prevent a deadlock of both. The rows of
    # the first are used.
    existing_hashes = set(dict(rows))
    missing = [recipe for hash, recipe in by_hash.items() if hash not in existing_hashes]
    Instance.objects.bulk_create(
        [Instance.undrawn(organization, recipe) for recipe in missing], batch_size=500, ignore_conflicts=True
    )
    ids = dict(rows.all())
    return {key: ids[recipe.hash] for key, recipe in recipes.items()}


def runs_of_plan(experiment: Experiment, plan: LaunchPlan, recipes: dict[Key, Recipe]) -> list[Run]:
    """Store the instances of a plan. Returns its runs, which are not stored yet. Raises LaunchError as `plan_hold` does."""
    plan_hold(plan=plan)
    rows, instances = [], _instances(experiment.organization, recipes)
    agents = agents_hold(plan=plan)
    opened: dict[tuple[str, str, str], environments.base.Environment] = {}
    for run in plan.runs:
        agent = agents[run.agent.pk]
        # Seats, periods and prompts do not depend on the seed, so one environment serves all seeds.
        kind = (run.environment, run.difficulty, run.variant)
        key = (run.environment, run.difficulty, run.seed, run.variant)
        if kind not in opened:
            problem = GENERATION[run.environment].drawn(recipes[key], with_reference=False)
            opened[kind] = ENVIRONMENTS[run.environment](problem, variant=run.variant)
        environment, prompts = opened[kind], plan.prompts.get((run.environment, run.variant))
        rows.append(
            Run(
                organization_id=experiment.organization_id,
                experiment=experiment,
                instance_id=instances[key],
                agent=agent,
                rival=plan.rival if len(environment.seats) > 1 else None,
                **{name: getattr(run, name) for name in ("variant", "repeat")},
                reasoning=plan.reasoning_for(agent, run.variant),
                periods=min(plan.periods or environment.periods, environment.periods),
                prompt_version=prompts.version if prompts else environment.prompts.version,
                prompts=prompts,
                config={
                    "player": _player(agent, flex=plan.flex),
                    "max_queries": MAX_QUERIES,
                    "max_attempts": max_attempts(environment),
                    "code_version": code_version(),
                }
                | ({"batch": True} if plan.batch and not agent.is_baseline else {})
                | ({"flex": True} if plan.flex else {}),
                budget_nano=plan.run_budget_nano,
                **_later(plan, run.seed),
            )
        )
    return rows


def _player(agent: Agent, *, flex: bool) -> dict[str, Any]:
    """The options of the agent, to store with its run. Empty for outside agents, whose episodes store them."""
    if agent.is_baseline or agent.endpoint is None:
        return {"baseline": agent.baseline} if agent.is_baseline else {}
    return options_of(agent, flex=flex).as_json()


def _later(plan: LaunchPlan, seed: int) -> dict[str, Any]:
    """The columns of a run that waits for its stage. Empty for other runs."""
    stage = plan.stage_of(seed)
    reason = f"Waits for stage {stage} of {len(plan.stages)}."
    return {"state": RunState.PAUSED, "pause_cause": PauseCause.STAGE, "reason": reason} if stage > 1 else {}


def default_name(plan: LaunchPlan) -> str:
    """The name of a launch without one: 'Procurement and pricing, BASIC, seeds 0-2'."""
    first, *others = (ENVIRONMENTS[name].title for name in plan.environments)
    listed = get_text_list([first, *map(str.lower, others)], "and")
    seeds = format_seeds(plan.seeds)
    return f"{listed}, {', '.join(plan.difficulties)}, {'seed' if seeds.isdigit() else 'seeds'} {seeds}"


def experiment_rename(*, experiment: Experiment, name: str) -> None:
    """Rename an experiment. Raises ValidationError for the field name."""
    name = name.strip()
    if not 1 <= len(name) <= MAX_NAME_LENGTH:
        raise ValidationError({"name": f"A name has 1 to {MAX_NAME_LENGTH} characters."})
    experiment.name = name
    experiment.save(update_fields=["name"])


def experiment_set_pace(*, experiment: Experiment, priority: str, runs_at_once: int | None) -> None:
    """Change the priority and the maximum of runs at once, for runs that workers take from now on. Raises ValidationError."""
    if priority not in PRIORITIES:
        raise ValidationError({"priority": f"A priority is {get_text_list(list(PRIORITIES), 'or')}."})
    if runs_at_once is not None and not 1 <= runs_at_once <= MOST_RUNS_AT_ONCE:
        raise ValidationError({"runs_at_once": RUNS_AT_ONCE_ERROR})
    experiment.priority, experiment.runs_at_once = PRIORITIES[priority], runs_at_once
    experiment.save(update_fields=["priority", "runs_at_once"])
    wake(ADVANCE, experiment.runs.filter(lease.due()).count())
