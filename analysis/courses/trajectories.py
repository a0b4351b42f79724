"""The runs of one or two agents on all instances of an environment and difficulty."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from django.db.models import Avg, Max, QuerySet
from pydantic import Field

from accounts.models import Organization
from analysis.base.benchmark_filters import DIFFICULTIES, TITLES, TableFilter
from analysis.base.filters import Filter
from analysis.base.table import Kind
from analysis.benchmark.runs import benchmark_runs
from environments.base import PERIODS, Outcome
from environments.generation import GENERATOR_LABELS
from environments.registry import BENCHMARKS
from games.parts import DEFAULT_COURSE
from games.registry import parts_of
from infrastructure.declared import Choices
from infrastructure.schemas import Plain
from infrastructure.text.formats import counted
from runs.launching.request import Variant
from runs.models import Period, Run
from runs.selectors.cells import SCORED

MOST_AGENTS, MOST_PANELS = 2, 24


class TrajectoryFilter(Filter):
    """One environment and difficulty. Without chosen agents the two with the best mean scores are shown."""

    kind: ClassVar[str] = "trajectories"
    PAGE: ClassVar[str] = "analysis:trajectories"
    PLAYS: ClassVar[tuple[str, ...]] = BENCHMARKS
    CHIPS: ClassVar[tuple[str, ...]] = ("agents",)
    MORE: ClassVar[tuple[str, ...]] = ("environment", "difficulty", "variant", "periods", "generator")

    environment: Annotated[Plain, Choices(TITLES), Field(title="Environment")] = next(
        (name for name in BENCHMARKS if parts_of(name).course is not DEFAULT_COURSE), BENCHMARKS[0]
    )
    difficulty: Annotated[Plain, Choices(), Field(title="Difficulty")] = DIFFICULTIES[0]
    variant: Annotated[Variant, Choices(), Field(title="Prompt")] = "main"
    periods: Annotated[int, Choices(), Field(title="Periods", ge=1, le=1_000_000)] = PERIODS
    generator: Annotated[Plain, Choices(GENERATOR_LABELS), Field(title="Generator")] = "published"

    @classmethod
    def choices(
        cls, *, lengths: Iterable[int], designs: Sequence[str], prompts: Iterable[str]
    ) -> dict[str, list[tuple[Any, str]]]:
        shared = TableFilter.choices(lengths=lengths, designs=designs, prompts=prompts)
        return {"difficulty": shared["difficulties"], "variant": shared["variant"], "periods": shared["periods"]}

    @property
    def has_more(self) -> bool:
        """The fields of this page are always unfolded."""
        return True

    def as_table(self) -> TableFilter:
        return TableFilter(
            agents=self.agents,
            environments=(self.environment,),
            difficulties=(self.difficulty,),
            rows=tuple(kind for kind in Kind if kind != Kind.PUBLISHED),
            variant=self.variant,
            periods=self.periods,
            generator=self.generator,
        )


@dataclass(frozen=True)
class Course:
    """The newest finished run of an agent on an instance. score: a share"""

    run_id: int
    agent_id: int
    agent: str
    instance_id: int
    seed: int
    score: float


@dataclass(frozen=True)
class Trajectories:
    """The answer. courses: by seed, the agents in their order; left_out: number of instances that are not shown"""

    agents: Mapping[int, str]
    courses: Sequence[Course]
    left_out: int = 0

    @property
    def by_instance(self) -> dict[int, list[Course]]:
        """The courses of each instance, by its id."""
        groups: dict[int, list[Course]] = {}
        for course in self.courses:
            groups.setdefault(course.instance_id, []).append(course)
        return groups


def trajectories_of(organization: Organization, run_filter: TrajectoryFilter) -> Trajectories:
    """The newest finished run of each agent on each instance, the first MOST_PANELS instances by seed.

    Takes two queries, and as many as `minority_groups`.
    """
    runs = benchmark_runs(organization=organization, table_filter=run_filter.as_table()).filter(SCORED)
    agents = _agents(runs, run_filter.agents)
    newest = runs.filter(agent__in=agents).order_by().values("agent_id", "instance_id").annotate(last=Max("id"))
    rows: Iterable[Any] = Run.objects.filter(pk__in=newest.values("last")).values_list(
        "pk", "agent_id", "agent__name", "instance_id", "instance__seed", "score"
    )
    order = list(agents)
    courses = sorted((Course(*row) for row in rows), key=lambda each: (each.seed, order.index(each.agent_id)))
    instances = list(dict.fromkeys(course.instance_id for course in courses))
    drawn = set(instances[:MOST_PANELS])
    shown = [course for course in courses if course.instance_id in drawn]
    return Trajectories(agents, shown, max(0, len(instances) - MOST_PANELS))


def _agents(runs: QuerySet[Run], slugs: Sequence[str]) -> dict[int, str]:
    """Names by id of the first MOST_AGENTS: the chosen ones in their order, else those with the best mean scores."""
    rows: Iterable[Any] = (
        runs.order_by().values_list("agent_id", "agent__name", "agent__slug").annotate(mean=Avg("score"))
    )
    ordered = sorted(rows, key=lambda row: (slugs.index(row[2]) if slugs else 0, -row[3], row[1]))
    return {agent: name for agent, name, *_ in ordered[:MOST_AGENTS]}


def outcomes_of_courses(courses: Sequence[Course]) -> dict[int, list[Outcome]]:
    """The outcomes of each run without their results, by run id. One query."""
    outcomes: dict[int, list[Outcome]] = {course.run_id: [] for course in courses}
    rows: Iterable[Any] = (
        Period.objects.filter(run__in=list(outcomes))
        .order_by("run_id", "index")
        .values_list("run_id", "index", "action", "quality", "ended")
    )
    for run_id, index, action, quality, ended in rows:
        outcomes[run_id].append(Outcome(index, action, {}, quality, ended))
    return outcomes


def sentences(result: Trajectories) -> list[str]:
    """Which runs are shown, and on how many instances the first agent scores more."""
    names, by_instance = list(result.agents.values()), result.by_instance
    if not names:
        return ["No run that fits these filters has finished."]
    texts = [
        f"Each panel shows the newest finished run of {' and of '.join(names)} on "
        f"{counted(len(by_instance), 'instance,instances')}."
    ]
    pairs = [courses for courses in by_instance.values() if len(courses) == MOST_AGENTS]
    if pairs:
        more, less = (sum(sign * (first.score - second.score) > 1e-9 for first, second in pairs) for sign in (1, -1))
        texts.append(f"{names[0]} scores more on {more:,} and less on {less:,} of {len(pairs):,}.")
    if result.left_out:
        texts.append(f"{counted(result.left_out, 'instance,instances')} with higher seeds are left out.")
    return texts
