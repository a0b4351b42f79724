"""The filter of the answer about sensitivity, and its database reads."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar

from django.db.models import Q
from pydantic import Field

from accounts.models import Organization
from analysis.base.benchmark_filters import DIFFICULTIES, TITLES, TableFilter
from analysis.base.filters import MANY, Filter
from analysis.base.selectors import fitting_runs, in_groups, minority_groups
from analysis.base.table import BenchmarkColumn, Kind
from analysis.benchmark.selectors import COLUMN_FIELDS, agent_rows
from analysis.sensitivity.conditions import Condition, ScoredRun, Sensitivity, condition_scores
from environments.base import PERIODS
from environments.generation import GENERATOR_LABELS
from environments.registry import BENCHMARKS, variant_of
from infrastructure.declared import Choices
from infrastructure.schemas import Plain
from runs.launching.request import Variant
from runs.selectors.cells import SCORED

MOST_AGENTS = 4


class SensitivityFilter(Filter):
    """`variant` and `periods` are the condition with which the others are compared."""

    kind: ClassVar[str] = "sensitivity"
    PAGE: ClassVar[str] = "analysis:sensitivity"
    PLAYS: ClassVar[tuple[str, ...]] = BENCHMARKS
    CHIPS: ClassVar[tuple[str, ...]] = ("agents", "environments", "difficulties")
    MORE: ClassVar[tuple[str, ...]] = ("variant", "periods", "generator")

    environments: Annotated[
        tuple[Annotated[Plain, Choices(TITLES)], ...], Field(title="Environments", max_length=MANY)
    ] = BENCHMARKS
    difficulties: Annotated[tuple[Plain, ...], Field(title="Difficulties", max_length=MANY)] = DIFFICULTIES
    variant: Annotated[Variant, Choices(), Field(title="Main prompt")] = "main"
    periods: Annotated[int, Choices(), Field(title="Main number of periods", ge=1, le=1_000_000)] = PERIODS
    generator: Annotated[Plain, Choices(GENERATOR_LABELS), Field(title="Generator")] = "published"

    @classmethod
    def choices(
        cls, *, lengths: Iterable[int], designs: Sequence[str], prompts: Iterable[str]
    ) -> dict[str, list[tuple[Any, str]]]:
        shared = TableFilter.choices(lengths=lengths, designs=designs, prompts=prompts)
        return {name: shared[name] for name in ("difficulties", "variant", "periods")}


def sensitivity_of(organization: Organization, run_filter: SensitivityFilter) -> Sensitivity:
    """The finished runs under the main condition, under other prompts, and of other lengths.

    Without chosen agents, those with two or more conditions are shown if there are any, at most MOST_AGENTS. Each agent's
    runs under unusual ways to ask its model are left out, as on leaderboards. Takes two queries, and as many as
    `minority_groups`.
    """
    rows = _finished(organization, run_filter)
    main = Condition(run_filter.variant, run_filter.periods)
    conditions = Counter(agent for agent, *_ in {(row[0], row[3], row[4]) for row in rows})
    agents = agent_rows(conditions, {row[0] for row in rows if row[-1]})
    agents.sort(key=lambda row: (-conditions[row.agent_id or 0], row.name))
    if run_filter.agents:
        agents.sort(key=lambda row: run_filter.agents.index(row.agent_slug))
    else:
        agents = [row for row in agents if conditions[row.agent_id or 0] > 1] or agents
    ids = [row.agent_id for row in agents[:MOST_AGENTS]]
    scored = [
        ScoredRun(agent, BenchmarkColumn(environment, difficulty), Condition(variant, periods), instance, score)
        for agent, environment, difficulty, variant, periods, instance, score, _ in rows
        if agent in ids
    ]
    columns = [
        BenchmarkColumn(name, difficulty) for name in run_filter.environments for difficulty in run_filter.difficulties
    ]
    return Sensitivity(
        condition_scores(scored, agents[:MOST_AGENTS], columns, main), main, max(0, len(agents) - MOST_AGENTS)
    )


def _finished(organization: Organization, run_filter: SensitivityFilter) -> list[Any]:
    """The columns of the finished runs. Takes one query, and as many as `minority_groups`."""
    kinds = tuple(kind for kind in Kind if kind != Kind.PUBLISHED)
    runs = fitting_runs(organization=organization, run_filter=TableFilter(agents=run_filter.agents, rows=kinds)).filter(
        Q(variant=run_filter.variant) | Q(periods=run_filter.periods),
        instance__environment__in=run_filter.environments,
        instance__difficulty__in=run_filter.difficulties,
        instance__generator=run_filter.generator,
    )
    usual = runs.exclude(in_groups(minority_groups(organization, runs))).filter(SCORED)
    rows: list[Any] = list(
        usual.order_by("agent_id").values_list(
            "agent_id", *COLUMN_FIELDS.values(), "variant", "periods", "instance_id", "score", "imported"
        )
    )
    # A variant that changes the world of a run has instances of its own, and its scores mean something else.
    return [row for row in rows if row[3] == run_filter.variant or not variant_of(row[1], row[3]).settings]
