"""The plans of a study's launches, and whether they play what its questions need."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import Organization
from environments.generation import CUSTOM, base_of
from environments.prompts.sets import prompts_of
from environments.registry import ENVIRONMENTS, GENERATION
from infrastructure.processes.code_version import code_version
from pages.registrations.file import QuestionIn, StudyIn
from runs.engine.players import options_of
from runs.launching.plan import LaunchError, LaunchPlan
from runs.launching.request import request_as_plan
from runs.models import Agent

Cell = tuple[str, str]
"""Environment and difficulty."""

OF_THE_TIER = ("service_tier", "timeout_seconds")
"""Options of a client that depend on the launch and not on the agent."""


@dataclass(frozen=True)
class Test:
    """A test or estimate of a question: the cells whose instances it pools, and the agents."""

    question: QuestionIn
    agents: tuple[str, ...]
    cells: tuple[Cell, ...]

    @property
    def title(self) -> str:
        """The cells in words, such as 'pricing BASIC'."""
        return " + ".join(f"{environment} {difficulty}" for environment, difficulty in self.cells)


def tests_of(question: QuestionIn, cells: Sequence[Cell]) -> list[Test]:
    """The tests of a question of the kinds `compare` and `mean`. cells: those of its cells that exist"""
    groups = [tuple(cells)] if question.tests == "pooled" else [(cell,) for cell in cells]
    agents = [tuple(question.agents)] if question.kind == "compare" else [(slug,) for slug in question.agents]
    return [Test(question, slugs, group) for slugs in agents for group in groups]


def cells_of(question: QuestionIn) -> list[Cell]:
    """The pairs of environment and difficulty of a question, without difficulties that an environment does not have."""
    return [
        (environment, difficulty)
        for environment in question.environments
        for difficulty in question.difficulties
        if environment in GENERATION
        and (difficulty in GENERATION[environment].difficulties or base_of(difficulty) == CUSTOM)
    ]


def plans_of(study: StudyIn, organization: Organization) -> list[LaunchPlan]:
    """The plans of the launches in order. Raises LaunchError with a sentence for each error, by its path in the file."""
    plans: list[LaunchPlan] = []
    errors: dict[str, str] = {}
    for index, launch in enumerate(study.launches):
        try:
            plans.append(request_as_plan(launch, organization))
        except LaunchError as error:
            errors |= {f"launches.{index}.{name}": sentence for name, sentence in error.errors.items()}
    if not errors:
        for path, sentence in question_errors(study, plans):
            errors.setdefault(path, sentence)
    if errors:
        raise LaunchError({path: f"{path}: {sentence}" for path, sentence in errors.items()})
    return plans


Instances = Mapping[tuple[str, str, Cell], set[tuple[int, str]]]
"""(seed, generator) of the instances that a plan plays, by agent, variant and cell."""


def question_errors(study: StudyIn, plans: Sequence[LaunchPlan]) -> Iterator[tuple[str, str]]:
    """(path, sentence) for each question that the plans do not answer."""
    by_plan = [_instances(plan) for plan in plans]
    for index, question in enumerate(study.questions):
        if question.kind == "stages":
            continue
        tests = tests_of(question, cells_of(question))
        keys = {(slug, question.variant, cell) for test in tests for slug in test.agents for cell in test.cells}
        covering = [plan for plan, instances in zip(plans, by_plan, strict=True) if not keys.isdisjoint(instances)]
        yield from ((f"questions.{index}", sentence) for sentence in _unlike(covering))
        yield from ((f"questions.{index}.instances", sentence) for sentence in _wrong_numbers(tests, by_plan))


def _instances(plan: LaunchPlan) -> Instances:
    instances = defaultdict(set)
    for run in plan.runs:
        instances[run.agent.slug, run.variant, (run.environment, run.difficulty)].add((run.seed, plan.generator))
    return instances


def _wrong_numbers(tests: Sequence[Test], by_plan: Sequence[Instances]) -> Iterator[str]:
    if not tests:
        yield "These environments have none of these difficulties."
    for test in tests:
        for slug in test.agents:
            number = sum(
                len(set().union(*(plan.get((slug, test.question.variant, cell), set()) for plan in by_plan)))
                for cell in test.cells
            )
            if number != test.question.instances:
                yield f"The launches play {number} with {slug} in {test.title}, not {test.question.instances}."


def _unlike(plans: Sequence[LaunchPlan]) -> Iterator[str]:
    if any(plan.stages for plan in plans):
        yield "A launch in stages may stop early, so only a question of the kind stages can be about it."
    conditions = {
        (plan.periods, plan.generator, plan.reasoning_wording, str(plan.settings), plan.rival) for plan in plans
    }
    if len(conditions) > 1:
        yield "Several launches play it under different conditions: periods, generator, wording, settings or rival."


def versions_of(plans: Sequence[LaunchPlan]) -> dict[str, Any]:
    """What holds now, for `Registration.versions`."""
    prompts, agents = {}, {}
    for plan in plans:
        for run in plan.runs:
            own = plan.prompts.get((run.environment, run.variant))
            version = own.version if own else prompts_of(ENVIRONMENTS[run.environment].prompt_set, run.variant).version
            prompts[f"{run.environment} {run.variant}"] = version
            agents[run.agent.slug] = settings_of_agent(run.agent)
    return {"code": code_version(), "prompts": prompts, "agents": agents}


def settings_of_agent(agent: Agent) -> dict[str, Any]:
    """What decides how an agent plays, as runs store it."""
    if agent.is_baseline:
        return {"baseline": agent.baseline}
    return without_tier(options_of(agent).as_json())


def without_tier(player: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in player.items() if name not in OF_THE_TIER}
