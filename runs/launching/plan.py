"""A launch plan: a matrix of runs that checks itself. The form, the command line and the API all build one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import groupby
from typing import Any

from django.core.exceptions import ValidationError

from agents.baselines.registry import BASELINES
from environments import generation
from environments.base import PERIODS, InvalidSettings
from environments.generation import CUSTOM, NO_SEEDS
from environments.prompts.variants import OWN
from environments.registry import ENVIRONMENTS, GENERATION, built_in_variants, generate, variant_of
from infrastructure.declared import cleaned
from runs.catalog import launch_error
from runs.launching import checks
from runs.launching.fields import FIELDS, LaunchFields
from runs.models import Agent, Design, PromptVariant

MAX_RUNS = 10_000

REQUIRED: Mapping[str, str] = {
    "environments": "Choose at least one environment.",
    "agents": "Choose at least one agent.",
    "seeds": NO_SEEDS,
    "variants": "Choose at least one variant.",
    "difficulties": "Choose at least one difficulty.",
}


class LaunchError(Exception):
    """The launch is not possible. `errors` maps each wrong field to one sentence."""

    def __init__(self, errors: Mapping[str, str]):
        super().__init__(" ".join(errors.values()))
        self.errors = dict(errors)


@dataclass(frozen=True)
class PlannedRun:
    environment: str
    difficulty: str
    seed: int
    agent: Agent
    variant: str
    repeat: int = 0


@dataclass(frozen=True)
class LaunchPlan(LaunchFields):
    """A matrix of runs. Creating a wrong plan raises LaunchError with a sentence for each wrong field.

    The fields of LaunchFields may be texts, as commands and forms give them; None and an empty text mean the default.

    settings: the settings of the difficulty CUSTOM, which requires a single environment
    designs: the organization's designs that `difficulties` names
    rival: the agent in the second seat of a market of two, None for the agent itself
    run_budget_nano: budget of each run in billionths of a dollar, None for no cap
    stages: seeds after each stage of a comparison of two agents, such as (4, 8, 12); empty to play all at once
    prompts: the own prompts that `variants` name, by environment and variant
    """

    environments: tuple[str, ...]
    difficulties: tuple[str, ...]
    seeds: tuple[int, ...]
    agents: tuple[Agent, ...]
    variants: tuple[str, ...] = ("main",)
    settings: Mapping[str, Any] | None = None
    rival: Agent | None = None
    run_budget_nano: int | None = None
    stages: tuple[int, ...] = ()
    designs: tuple[Design, ...] = ()
    prompts: Mapping[tuple[str, str], PromptVariant] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if errors := self._clean() | _field_errors(self) or self._errors_of_runs():
            raise LaunchError(errors)
        if CUSTOM in self.difficulties:
            # From JSON and from the form, whole numbers may come as floats.
            object.__setattr__(self, "settings", GENERATION[self.environments[0]].checked(self.settings or {}))

    def _clean(self) -> dict[str, str]:
        """Convert the declared fields to their types. Returns a sentence for each wrong field, which gets its default."""
        errors = {}
        for name, info in FIELDS.items():
            value = info.default
            try:
                value = cleaned(info, getattr(self, name))
            except ValidationError as error:
                errors[name] = error.messages[0]
            object.__setattr__(self, name, value)
        return errors

    @cached_property
    def runs(self) -> list[PlannedRun]:
        """The runs of the matrix. Impossible combinations are left out, such as a baseline made for another environment."""
        return [
            PlannedRun(environment, difficulty, seed, agent, variant, repeat)
            for environment in self.environments
            for difficulty in self.difficulties
            if self.settings_of(environment, difficulty) is not None
            for agent in self.agents
            for variant in self.variants
            for repeat in range(self.repeats)
            for seed in self.seeds[: variant_of(environment, variant).first_seeds]
            if plays(agent, environment)
            and (variant in built_in_variants(environment) or (environment, variant) in self.prompts)
        ]

    def settings_of(self, environment: str, difficulty: str) -> Mapping[str, Any] | None:
        """The settings of the instances. None if the environment has no such difficulty."""
        return checks.settings_of(environment, difficulty, self.settings, self.designs)

    @property
    def cells(self) -> int:
        """The number of pairs of environment and difficulty that are played, which is the number of instances of one seed."""
        return len({(run.environment, run.difficulty) for run in self.runs})

    def stage_of(self, seed: int) -> int:
        """The stage in which a seed is played, counted from 1. Always 1 without stages."""
        index = self.seeds.index(seed) if self.stages else 0
        return 1 + sum(index >= size for size in self.stages)

    def _errors_of_runs(self) -> dict[str, str]:
        """The first error of a plan whose fields are right, by its field. Empty if nothing is wrong."""
        if not self.runs:
            return {"agents": "None of the chosen agents plays any of the chosen environments and variants."}
        if len(self.runs) > MAX_RUNS:
            return {"seeds": f"That would be {len(self.runs):,} runs; one experiment holds at most {MAX_RUNS:,}."}
        errors = {
            "stages": self._cells_error() if self.stages else "",
            "batch": checks.batch_error(self.environments, self.agents) if self.batch else "",
            "flex": checks.flex_error(self.agents, self.rival, batch=self.batch) if self.flex else "",
        }
        return next(({name: sentence} for name, sentence in errors.items() if sentence), {})

    def _cells_error(self) -> str:
        idle = [(agent.name, name) for agent in self.agents for name in self.environments if not plays(agent, name)]
        if idle:
            return "Stages compare both agents everywhere, and {} does not play {}.".format(*idle[0])
        return checks.too_few_error(self.cells * len(self.seeds))

    def as_spec(self) -> dict[str, Any]:
        """The plan as JSON, which is stored with the experiment so that it can be launched again."""
        return {
            "environments": list(self.environments),
            "difficulties": list(self.difficulties),
            "seeds": format_seeds(self.seeds),
            "agents": [agent.slug for agent in self.agents],
            "variants": list(self.variants),
            "settings": dict(self.settings) if self.settings else None,
            "rival": self.rival.slug if self.rival else None,
            "run_budget_nano": self.run_budget_nano,
            "stages": list(self.stages),
        } | {name: getattr(self, name) for name in FIELDS}

    def reasoning_for(self, agent: Agent, variant: str = "main") -> bool:
        """Whether the agent gets the wording for reasoning models. Own prompts have only one wording."""
        uses_reasoning = agent.reasoning if self.reasoning_wording == "auto" else self.reasoning_wording == "on"
        return uses_reasoning and OWN not in variant


def parse_seeds(text: str) -> tuple[int, ...]:
    """Parse seeds as `environments.generation` does. Raises LaunchError for the field seeds."""
    try:
        return generation.parse_seeds(text)
    except InvalidSettings as error:
        raise LaunchError(error.errors) from None


def format_seeds(seeds: Iterable[int]) -> str:
    """Format seeds as ranges: (0, 1, 2, 7) gives '0-2,7'."""
    # For consecutive seeds, the difference between position and seed is the same.
    groups = groupby(enumerate(sorted(seeds)), key=lambda pair: pair[1] - pair[0])
    spans = ([seed for _, seed in group] for _, group in groups)
    return ",".join(str(span[0]) if len(span) == 1 else f"{span[0]}-{span[-1]}" for span in spans)


def plays(agent: Agent, environment: str) -> bool:
    """Whether an agent can play an environment. An LLM can play all, a baseline those it is made for."""
    return not agent.is_baseline or environment in BASELINES[agent.baseline].environments


@cache
def paper_periods(environment: str, variant: str) -> int:
    """Number of periods of a run in the papers. It depends on the instance only in custom surveys."""
    instance = generate(environment, next(iter(GENERATION[environment].difficulties)), 0, with_reference=False)
    return ENVIRONMENTS[environment].periods_of(variant, instance)


def _field_errors(plan: LaunchPlan) -> dict[str, str]:
    if unknown_names := [name for name in plan.environments if name not in ENVIRONMENTS]:
        return {"environments": f"Select a valid choice. {unknown_names[0]} is not one of the available choices."}
    errors = {field: sentence for field, sentence in REQUIRED.items() if not getattr(plan, field)}
    games = [(name, variant) for name in plan.environments for variant in built_in_variants(name)]
    games += [game for game in plan.prompts if game[0] in plan.environments]
    longest = max((paper_periods(*game) for game in games if game[1] in plan.variants), default=PERIODS)
    if sentence := checks.length_error(plan.periods, longest, plan.environments, plan.variants):
        errors["periods"] = sentence
    if plan.points is not None and not 0 < plan.points <= checks.MOST_POINTS:
        errors["points"] = f"A difference is more than 0 and at most {checks.MOST_POINTS} points."
    counts = (len(plan.seeds), len(plan.agents), plan.environments, len(plan.variants))
    if plan.stages and (sentence := checks.stages_error(plan.stages, *counts)):
        errors["stages"] = sentence
    unknown = [variant for variant in plan.variants if variant not in {variant for _, variant in games}]
    if unknown and plan.environments:
        errors["variants"] = f"The chosen environments have no variant {unknown[0]!r}."
    elif archived := [prompt.variant for prompt in plan.prompts.values() if prompt.archived_at]:
        errors["variants"] = f"The prompt {archived[0]} is archived. Restore it on its page, or choose another."
    for name, agents in {"agents": plan.agents, "rival": (plan.rival,) if plan.rival else ()}.items():
        if archived_agent := next((agent for agent in agents if agent.archived_at), None):
            errors[name] = f"{archived_agent.name} is archived. Unarchive it on its page to launch it."
        elif sentence := next(filter(None, map(launch_error, agents)), ""):
            errors[name] = sentence
    markets = [
        name for name, variant in games if variant in plan.variants and len(ENVIRONMENTS[name].seats_of(variant)) > 1
    ]
    if plan.rival and (name := next((name for name in markets if not plays(plan.rival, name)), "")):
        errors.setdefault("rival", f"{plan.rival.name} does not play {name}.")
    return checks.difficulty_errors(plan.environments, plan.difficulties, plan.settings, plan.designs) | errors
