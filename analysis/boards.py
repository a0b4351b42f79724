"""Runs, records and rows of a table by its filter, for pages, figures and the API."""

from collections.abc import Sequence
from dataclasses import replace

from django.db.models import F, Q, QuerySet

from accounts.models import Organization
from analysis.base.conditions import OtherWays, other_ways, played_otherwise
from analysis.base.filters import BoardFilter
from analysis.base.selectors import fitting_runs, run_records
from analysis.base.table import Kind, RunRecord
from analysis.benchmark import published
from analysis.benchmark.filters import TableFilter
from analysis.benchmark.selectors import cell_scores, players, scored_runs
from analysis.benchmark.table import BenchmarkColumn, BenchmarkTable, ScoredRuns, benchmark_table
from analysis.figures.registry import LITMUS_CHARTS
from analysis.litmus.filters import STANDARD, WHOLE, LitmusFilter, whole_lengths
from analysis.litmus.table import LitmusRow, litmus_table
from environments.generation import CUSTOM, is_design
from environments.prompts.variants import AS_RUN, OWN, is_own
from environments.registry import BENCHMARKS, LITMUS_TESTS
from runs.models import Agent, Run

CELL_SORTS = {"seed": "instance__seed", "score": "score", "state": "state", "launched": "created_at"}
SCORING = ("reliability", "litmus_bound")
"""Metrics that the three litmus scores need beside the score of each run."""


def benchmark_runs(*, organization: Organization, table_filter: TableFilter) -> QuerySet[Run]:
    """Runs of all states that fit the filter and were not played otherwise. As many queries as of other_ways."""
    return (
        _of_every_environment(organization, table_filter)
        .exclude(played_otherwise(other_ways_of(organization=organization, chosen=table_filter)))
        .filter(instance__environment__in=table_filter.environments, instance__difficulty__in=table_filter.difficulties)
    )


def _of_every_environment(organization: Organization, table_filter: TableFilter) -> QuerySet[Run]:
    return fitting_runs(organization=organization, chosen=table_filter).filter(
        instance__generator=table_filter.generator, variant=table_filter.variant, periods=table_filter.periods
    )


def other_ways_of(*, organization: Organization, chosen: BoardFilter) -> OtherWays:
    """How agents were played in runs that the filter leaves out; none if these are pooled.

    Of benchmarks, all environments and difficulties count: every cell of a row and every figure rests on the same conditions.
    """
    if chosen.mixed:
        return {}
    if isinstance(chosen, LitmusFilter):
        return other_ways(organization, _fitting_litmus_runs(organization, chosen))
    assert isinstance(chosen, TableFilter)
    runs = _of_every_environment(organization, chosen).filter(instance__environment__in=BENCHMARKS)
    return other_ways(organization, runs.exclude(instance__difficulty=CUSTOM))


def cell_runs(
    *, organization: Organization, table_filter: TableFilter, column: BenchmarkColumn, agent: Agent, sort: str = "seed"
) -> QuerySet[Run]:
    """The runs of one agent behind one cell of the filter's table.

    `sort` is a key of CELL_SORTS; a minus means descending.
    """
    of_column = replace(table_filter, environments=(column.environment,), difficulties=(column.difficulty,))
    place = F(CELL_SORTS.get(sort.removeprefix("-"), CELL_SORTS["seed"]))
    order = place.desc(nulls_last=True) if sort.startswith("-") else place.asc(nulls_last=True)
    runs = benchmark_runs(organization=organization, table_filter=of_column).filter(agent=agent)
    bulky = ("instance__parameters", "instance__hidden", "instance__reference", "config", "metrics")
    return runs.select_related("instance", "experiment").defer(*bulky).order_by(order, "instance__seed", "id")


def benchmark_records(*, organization: Organization, table_filter: TableFilter) -> list[RunRecord]:
    return run_records(benchmark_runs(organization=organization, table_filter=table_filter))


def table_of(*, organization: Organization, table_filter: TableFilter) -> BenchmarkTable:
    """Own rows, and the paper's rows if they have the same conditions. Three queries, or four as of other_ways."""
    runs = benchmark_runs(organization=organization, table_filter=table_filter)
    shown = Kind.PUBLISHED in table_filter.rows and table_filter.fits_published
    printed = published.benchmark_scores() if shown else ()
    cells = cell_scores(runs)
    # A design is of one environment, so the others have no column of it.
    played = {cell.column for cell in cells}
    columns = [one for one in table_filter.columns if one in played or not is_design(one.difficulty)]
    own = table_filter.variant if is_own(table_filter.variant) else ""
    return benchmark_table(cells, players(cells), printed, columns, table_filter.sort, own)


def chart_runs(*, organization: Organization, table_filter: TableFilter) -> ScoredRuns:
    """The finished runs behind the figure."""
    of_chart = replace(table_filter, environments=(table_filter.chart_environment,))
    return scored_runs(benchmark_runs(organization=organization, table_filter=of_chart))


def litmus_runs(*, organization: Organization, litmus_filter: LitmusFilter) -> QuerySet[Run]:
    """Runs of the litmus tests that fit the filter and were not played otherwise, in all states; competencies too.

    As many queries as of other_ways.
    """
    ways = other_ways_of(organization=organization, chosen=litmus_filter)
    return _fitting_litmus_runs(organization, litmus_filter).exclude(played_otherwise(ways))


def _fitting_litmus_runs(organization: Organization, chosen: LitmusFilter) -> QuerySet[Run]:
    if chosen.experiment:
        # A page about one experiment shows all its runs, imported ones too.
        chosen = replace(chosen, rows=(*chosen.rows, Kind.IMPORTED))
    runs = fitting_runs(organization=organization, chosen=chosen).filter(instance__environment__in=LITMUS_TESTS)
    if chosen.own_prompt:
        runs = runs.filter(Q(variant=chosen.variant) | Q(variant__endswith=f"{OWN}{chosen.own_prompt}"))
    elif chosen.variant:
        runs = runs.exclude(Q(variant=AS_RUN) | Q(variant__contains=OWN))
    if chosen.experiment:
        return runs.filter(experiment=chosen.experiment)
    runs = runs.filter(instance__generator=chosen.generator)
    if chosen.scope == WHOLE:
        as_long_as_the_papers = Q()
        for (test, variant), periods in whole_lengths().items():
            as_long_as_the_papers |= Q(
                instance__environment=test, variant=chosen.name_of(variant), periods__gte=periods
            )
        runs = runs.filter(as_long_as_the_papers, instance__difficulty=STANDARD)
    elif is_design(chosen.scope):
        runs = runs.filter(instance__difficulty=chosen.scope)
    return runs


def records_of(
    *, organization: Organization, litmus_filter: LitmusFilter, metrics: tuple[str, ...] = SCORING, chart: str = ""
) -> list[RunRecord]:
    """Runs of all litmus tests, or of one chart's environment with the variants that charts show."""
    runs = litmus_runs(organization=organization, litmus_filter=litmus_filter)
    if chart:
        test = LITMUS_CHARTS[chart][0]
        charts = (variant for environment, variant in LITMUS_CHARTS.values() if environment == test)
        shown = map(litmus_filter.name_of, charts)
        runs = runs.filter(instance__environment=test, variant__in=shown)
    return run_records(runs, metrics, order=("agent__name", "agent_id"))


def litmus_rows(records: Sequence[RunRecord], litmus_filter: LitmusFilter) -> list[LitmusRow]:
    printed = published.litmus_scores() if litmus_filter.shows_published else ()
    return litmus_table(records, printed, litmus_filter.sort)
