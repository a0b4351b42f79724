"""From a launch form or command to the runs it means: seeds, the matrix, presets, the estimate. Nothing is written here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from agents.baselines.registry import BASELINES
from environments.base import PERIODS, InvalidSettings
from environments.generation import CUSTOM, GENERATORS, MAX_SEED
from environments.registry import ENVIRONMENTS, GENERATION, generate, variant_of
from runs.launching.again import spec_as_command
from runs.models import Agent

MAX_RUNS = 10_000
MAX_SEEDS = 1_000


class LaunchError(Exception):
    """A launch that cannot be; `errors` maps a field to one plain sentence."""

    def __init__(self, errors: Mapping[str, str]):
        super().__init__(" ".join(errors.values()))
        self.errors = dict(errors)


@dataclass(frozen=True)
class LaunchPlan:
    """A matrix of runs. `settings` goes with the difficulty CUSTOM and with a single environment.

    periods: length of the runs, None for as many as the papers play; never more than those
    reasoning_wording: 'auto' gives reasoning models their wording, 'on' and 'off' decide it for all agents
    rival: who holds the second seat in a market of two, None for the agent itself
    run_budget_nano: what each run may cost, in billionths of a dollar, None for no cap
    """

    environments: tuple[str, ...]
    difficulties: tuple[str, ...]
    seeds: tuple[int, ...]
    agents: tuple[Agent, ...]
    variants: tuple[str, ...] = ("main",)
    periods: int | None = None
    generator: str = "published"
    settings: Mapping[str, Any] | None = None
    reasoning_wording: str = "auto"
    rival: Agent | None = None
    run_budget_nano: int | None = None

    def as_spec(self) -> dict[str, Any]:
        """Plain data, stored with the experiment so that it can be launched again."""
        return {
            "environments": list(self.environments),
            "difficulties": list(self.difficulties),
            "seeds": format_seeds(self.seeds),
            "agents": [agent.slug for agent in self.agents],
            "variants": list(self.variants),
            "periods": self.periods,
            "generator": self.generator,
            "settings": dict(self.settings) if self.settings else None,
            "reasoning_wording": self.reasoning_wording,
            "rival": self.rival.slug if self.rival else None,
            "run_budget_nano": self.run_budget_nano,
        }

    def reasoning_for(self, agent: Agent) -> bool:
        return agent.reasoning if self.reasoning_wording == "auto" else self.reasoning_wording == "on"

    def seeds_for(self, environment: str, variant: str) -> tuple[int, ...]:
        return self.seeds[: variant_of(environment, variant).first_seeds]


@dataclass(frozen=True)
class PlannedRun:
    environment: str
    difficulty: str
    seed: int
    agent: Agent
    variant: str


def parse_seeds(text: str) -> tuple[int, ...]:
    """'0-2, 7' to (0, 1, 2, 7), in ascending order, each once. Raises LaunchError for the field seeds."""
    seeds: set[int] = set()
    for part in filter(None, re.split(r"[,\s]+", text.strip())):
        match = re.fullmatch(r"(\d{1,10})(?:[-–](\d{1,10}))?", part)
        if not match:
            raise LaunchError({"seeds": f"{part[:30]!r} is not a seed or a range of seeds such as 0-11."})
        first = int(match.group(1))
        last = int(match.group(2) or first)
        if last < first:
            raise LaunchError({"seeds": f"The range {part} runs backwards; write {last}-{first}."})
        if last > MAX_SEED:
            raise LaunchError({"seeds": f"Seeds go up to {MAX_SEED}."})
        if last - first >= MAX_SEEDS or len(seeds) + last - first >= MAX_SEEDS:
            raise LaunchError({"seeds": f"At most {MAX_SEEDS:,} seeds fit in one experiment."})
        seeds.update(range(first, last + 1))
    if not seeds:
        raise LaunchError({"seeds": "Give at least one seed, such as 0-2."})
    return tuple(sorted(seeds))


def format_seeds(seeds: Iterable[int]) -> str:
    """(0, 1, 2, 7) to '0-2,7'."""
    spans: list[list[int]] = []
    for seed in sorted(seeds):
        if spans and seed == spans[-1][1] + 1:
            spans[-1][1] = seed
        else:
            spans.append([seed, seed])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


def plays(agent: Agent, environment: str) -> bool:
    """Whether an agent can play an environment: LLMs all, baselines the ones they are made for."""
    return not agent.is_baseline or environment in BASELINES[agent.baseline].environments


def plan_runs(plan: LaunchPlan) -> list[PlannedRun]:
    """The runs of a plan. What does not go together is left out: a baseline and an environment it does not play, an
    environment and another's difficulty or variant.

    Raises LaunchError with a sentence for each wrong field.
    """
    errors = _problems(plan)
    if errors:
        raise LaunchError(errors)
    runs = [
        PlannedRun(environment, difficulty, seed, agent, variant)
        for environment in plan.environments
        for difficulty in plan.difficulties
        if difficulty == CUSTOM or difficulty in GENERATION[environment].difficulties
        for agent in plan.agents
        for variant in plan.variants
        for seed in plan.seeds_for(environment, variant)
        if plays(agent, environment) and variant in ENVIRONMENTS[environment].variants
    ]
    if not runs:
        raise LaunchError({"agents": "None of the chosen agents plays any of the chosen environments and variants."})
    if len(runs) > MAX_RUNS:
        raise LaunchError({"seeds": f"That would be {len(runs):,} runs; one experiment holds at most {MAX_RUNS:,}."})
    return runs


def periods_of(plan: LaunchPlan, environment: str, variant: str) -> int:
    """Length of the runs of an environment and variant."""
    whole = whole_run(environment, variant)
    return whole if plan.periods is None else min(plan.periods, whole)


@cache
def whole_run(environment: str, variant: str) -> int:
    """Periods of a run as the papers play it, which the instance decides nowhere but in custom surveys."""
    return ENVIRONMENTS[environment].periods_of(
        variant, generate(environment, _first_difficulty(environment), 0, with_reference=False)
    )


def _first_difficulty(environment: str) -> str:
    return next(iter(GENERATION[environment].difficulties))


def _games(plan: LaunchPlan) -> list[tuple[str, str]]:
    known = [name for name in plan.environments if name in ENVIRONMENTS]
    return [(name, variant) for name in known for variant in plan.variants if variant in ENVIRONMENTS[name].variants]


def _problems(plan: LaunchPlan) -> dict[str, str]:
    errors: dict[str, str] = {}
    unknown = [name for name in plan.environments if name not in ENVIRONMENTS]
    if not plan.environments:
        errors["environments"] = "Choose at least one environment."
    elif unknown:
        return {"environments": f"There is no environment {unknown[0]!r}; there are {', '.join(ENVIRONMENTS)}."}
    if not plan.agents:
        errors["agents"] = "Choose at least one agent."
    if not plan.seeds:
        errors["seeds"] = "Give at least one seed, such as 0-2."
    if plan.generator not in GENERATORS:
        errors["generator"] = f"There is no generator {plan.generator!r}; there are {', '.join(GENERATORS)}."
    longest = max((whole_run(name, variant) for name, variant in _games(plan)), default=PERIODS)
    if plan.periods is not None and not 1 <= plan.periods <= longest:
        errors["periods"] = f"A run here has 1 to {longest} periods; leave it empty for as many as the papers play."
    known = {variant for name in plan.environments for variant in ENVIRONMENTS[name].variants}
    wrong = [variant for variant in plan.variants if variant not in known]
    if not plan.variants:
        errors["variants"] = "Choose at least one variant."
    elif wrong and plan.environments:
        errors["variants"] = f"The chosen environments have no variant {wrong[0]!r}."
    return errors | _difficulty_problems(plan)


def _difficulty_problems(plan: LaunchPlan) -> dict[str, str]:
    if not plan.difficulties:
        return {"difficulties": "Choose at least one difficulty."}
    for name in plan.environments:
        there = GENERATION[name].difficulties
        if not any(difficulty in there or difficulty == CUSTOM for difficulty in plan.difficulties):
            chosen = ", ".join(plan.difficulties)
            title = ENVIRONMENTS[name].title
            return {"difficulties": f"{title} has no difficulty {chosen}; it has {', '.join(there)}."}
    known = {difficulty for generation in GENERATION.values() for difficulty in generation.difficulties} | {CUSTOM}
    unknown = [difficulty for difficulty in plan.difficulties if difficulty not in known]
    if unknown:
        return {"difficulties": f"There is no difficulty {unknown[0]!r}."}
    if CUSTOM in plan.difficulties:
        if len(plan.environments) != 1:
            return {"difficulties": "A custom difficulty goes with one environment at a time."}
        try:
            GENERATION[plan.environments[0]].checked(plan.settings or {})
        except InvalidSettings as error:
            return error.errors
    return {}


def as_command(plan: LaunchPlan, name: str = "", budget_nano: int | None = None) -> str:
    """The same launch as a command line. Agents that play none of the environments are left out."""
    agents = [agent.slug for agent in plan.agents if any(plays(agent, name) for name in plan.environments)]
    return spec_as_command(plan.as_spec() | {"agents": agents}, name, budget_nano)
