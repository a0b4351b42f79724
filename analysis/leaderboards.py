"""The runs, records and rows of a table, and comparisons of agents, by filter. For pages, figures and the API."""

from collections.abc import Sequence
from functools import partial

from django.db.models import F, Q, QuerySet

from accounts.models import Organization
from analysis.base.benchmark_filters import TableFilter
from analysis.base.filters import LeaderboardFilter
from analysis.base.leaderboard import LeaderboardLinks
from analysis.base.litmus_filters import STANDARD, WHOLE, LitmusFilter, whole_lengths
from analysis.base.selectors import MinorityGroups, fitting_runs, in_groups, minority_groups, run_records
from analysis.base.table import Kind, RunRecord
from analysis.benchmark import published
from analysis.benchmark.selectors import cell_scores, scored_runs, table_agents
from analysis.benchmark.table import BenchmarkColumn, BenchmarkTable, ScoredRuns, benchmark_table
from analysis.comparing.comparison import MOST_AGENTS, Comparison, compare
from analysis.comparing.matching import Times
from analysis.litmus import page
from analysis.litmus.leaderboard import LitmusLeaderboard, build_leaderboard
from analysis.litmus.page import LitmusPage, page_of
from analysis.litmus.scores import LitmusRow, litmus_table
from environments.generation import CUSTOM, is_design
from environments.prompts.variants import AS_RUN, OWN, is_own
from environments.registry import BENCHMARKS, LITMUS_TESTS
from games.registry import LITMUS_CHARTS
from runs.models import Agent, PlayerClass, Run
from runs.stages.models import StagedComparison

CELL_SORTS = {"seed": "instance__seed", "score": "score", "state": "state", "launched": "created_at"}
SCORING = ("reliability", "litmus_bound")
"""Metrics that the three litmus scores need besides the score of each run."""


def benchmark_runs(*, organization: Organization, table_filter: TableFilter) -> QuerySet[Run]:
    """Runs in all states that fit the filter, without those played under unusual conditions.

    Takes as many queries as `minority_groups`.
    """
    return (
        _runs_of_all_environments(organization, table_filter)
        .exclude(in_groups(minority_groups_of(organization=organization, run_filter=table_filter)))
        .filter(instance__environment__in=table_filter.environments, instance__difficulty__in=table_filter.difficulties)
    )


def _runs_of_all_environments(organization: Organization, table_filter: TableFilter) -> QuerySet[Run]:
    return fitting_runs(organization=organization, run_filter=table_filter).filter(
        instance__generator=table_filter.generator, variant=table_filter.variant, periods=table_filter.periods
    )


def minority_groups_of(*, organization: Organization, run_filter: LeaderboardFilter) -> MinorityGroups:
    """The groups of runs that the filter leaves out for unusual conditions; none if the filter pools these.

    For benchmarks, all environments and difficulties count, so that every cell of a row and every figure has the same
    conditions.
    """
    if run_filter.mixed:
        return {}
    if isinstance(run_filter, LitmusFilter):
        return minority_groups(organization, _fitting_litmus_runs(organization, run_filter))
    assert isinstance(run_filter, TableFilter)
    runs = _runs_of_all_environments(organization, run_filter).filter(instance__environment__in=BENCHMARKS)
    return minority_groups(organization, runs.exclude(instance__difficulty=CUSTOM))


def cell_runs(
    *, organization: Organization, table_filter: TableFilter, column: BenchmarkColumn, agent: Agent, sort: str = "seed"
) -> QuerySet[Run]:
    """The runs of one agent behind one cell of the filter's table.

    `sort` is a key of CELL_SORTS; a minus means descending.
    """
    column_filter = table_filter.with_values(environments=(column.environment,), difficulties=(column.difficulty,))
    sort_field = F(CELL_SORTS.get(sort.removeprefix("-"), CELL_SORTS["seed"]))
    order = sort_field.desc(nulls_last=True) if sort.startswith("-") else sort_field.asc(nulls_last=True)
    runs = benchmark_runs(organization=organization, table_filter=column_filter).filter(agent=agent)
    bulky = ("instance__parameters", "instance__hidden", "instance__reference", "config", "metrics")
    return runs.select_related("instance", "experiment").defer(*bulky).order_by(order, "instance__seed", "id")


def benchmark_records(*, organization: Organization, table_filter: TableFilter) -> list[RunRecord]:
    return run_records(benchmark_runs(organization=organization, table_filter=table_filter))


def table_of(*, organization: Organization, table_filter: TableFilter) -> BenchmarkTable:
    """The table of own rows, with the paper's rows if they have the same conditions.

    Takes three queries, or four where `minority_groups` takes two.
    """
    runs = benchmark_runs(organization=organization, table_filter=table_filter)
    has_published = Kind.PUBLISHED in table_filter.rows and table_filter.fits_published
    printed = published.benchmark_scores() if has_published else ()
    cells = cell_scores(runs)
    # A design belongs to one environment, so other environments have no column for it.
    played_columns = {cell.column for cell in cells}
    columns = [
        column for column in table_filter.columns if column in played_columns or not is_design(column.difficulty)
    ]
    own = table_filter.variant if is_own(table_filter.variant) else ""
    return benchmark_table(cells, table_agents(cells), printed, columns, table_filter.sort, own)


def chart_runs(*, organization: Organization, table_filter: TableFilter) -> ScoredRuns:
    """The finished runs behind the figure of the benchmark table."""
    chart_filter = table_filter.with_values(environments=(table_filter.chart_environment,))
    return scored_runs(benchmark_runs(organization=organization, table_filter=chart_filter))


def litmus_runs(*, organization: Organization, litmus_filter: LitmusFilter) -> QuerySet[Run]:
    """Runs of the litmus tests in all states, competencies included, that fit the filter.

    Runs played under unusual conditions are left out. Takes as many queries as `minority_groups`.
    """
    groups = minority_groups_of(organization=organization, run_filter=litmus_filter)
    return _fitting_litmus_runs(organization, litmus_filter).exclude(in_groups(groups))


def _fitting_litmus_runs(organization: Organization, litmus_filter: LitmusFilter) -> QuerySet[Run]:
    if litmus_filter.experiment:
        # A page about one experiment shows all its runs, imported ones too.
        litmus_filter = litmus_filter.with_values(rows=(*litmus_filter.rows, Kind.IMPORTED))
    runs = fitting_runs(organization=organization, run_filter=litmus_filter).filter(
        instance__environment__in=LITMUS_TESTS
    )
    if litmus_filter.own_prompt:
        runs = runs.filter(Q(variant=litmus_filter.variant) | Q(variant__endswith=f"{OWN}{litmus_filter.own_prompt}"))
    elif litmus_filter.variant:
        runs = runs.exclude(Q(variant=AS_RUN) | Q(variant__contains=OWN))
    if litmus_filter.experiment:
        return runs.filter(experiment=litmus_filter.experiment)
    runs = runs.filter(instance__generator=litmus_filter.generator)
    if litmus_filter.scope == WHOLE:
        as_long_as_the_papers = Q()
        for (test, variant), periods in whole_lengths().items():
            as_long_as_the_papers |= Q(
                instance__environment=test, variant=litmus_filter.name_of(variant), periods__gte=periods
            )
        runs = runs.filter(as_long_as_the_papers, instance__difficulty=STANDARD)
    elif is_design(litmus_filter.scope):
        runs = runs.filter(instance__difficulty=litmus_filter.scope)
    return runs


def records_of(
    *, organization: Organization, litmus_filter: LitmusFilter, metrics: tuple[str, ...] = SCORING, chart: str = ""
) -> list[RunRecord]:
    """Runs of all litmus tests, or of the environment and variants that one chart shows."""
    runs = litmus_runs(organization=organization, litmus_filter=litmus_filter)
    if chart:
        test = LITMUS_CHARTS[chart][0]
        chart_variants = (variant for environment, variant in LITMUS_CHARTS.values() if environment == test)
        variants = map(litmus_filter.name_of, chart_variants)
        runs = runs.filter(instance__environment=test, variant__in=variants)
    return run_records(runs, metrics, order=("agent__name", "agent_id"))


def litmus_rows(records: Sequence[RunRecord], litmus_filter: LitmusFilter) -> list[LitmusRow]:
    printed = published.litmus_scores() if litmus_filter.shows_published else ()
    return litmus_table(records, printed, litmus_filter.sort)


def staged_comparisons_of(*, organization: Organization, comparisons: Sequence[Comparison]) -> list[StagedComparison]:
    """Staged comparisons of two of the compared agents, found by their experiments. One query."""
    agents = {
        agent for comparison in comparisons for agent in (comparison.agents.first_id, comparison.agents.second_id)
    }
    rows = StagedComparison.objects.select_related("experiment", "first", "second").filter(
        experiment__organization=organization, experiment__deleted_at=None, first__in=agents, second__in=agents
    )
    return list(rows.order_by("experiment_id"))


def comparisons_of(
    *, organization: Organization, run_filter: TableFilter | LitmusFilter, tests: tuple[str, ...] = LITMUS_TESTS
) -> list[Comparison]:
    """Comparisons of the first MOST_AGENTS chosen agents, in the chosen order; none for fewer than two.

    Litmus `tests` are compared by the scores under the main prompt. A market of two different agents is left out.
    """
    agents = run_filter.agents[:MOST_AGENTS]
    if len(agents) < 2:
        return []
    run_filter = run_filter.with_values(agents=agents)
    if isinstance(run_filter, TableFilter):
        records = benchmark_records(organization=organization, table_filter=run_filter)
        environments, difficulties = run_filter.environments, run_filter.difficulties
    else:
        litmus_records = records_of(organization=organization, litmus_filter=run_filter, metrics=())
        records = [record for record in litmus_records if record.base == "main" and record.rival_id is None]
        environments, difficulties = tests, tuple(sorted({record.difficulty for record in records}))
    by_slug = {record.agent_slug: record for record in records}
    names = {by_slug[slug].agent_id: by_slug[slug].agent_name for slug in agents if slug in by_slug}
    times = _times(organization, list(names), environments)
    return compare(records, names, environments, difficulties, times)


def _times(organization: Organization, agents: Sequence[int], environments: Sequence[str]) -> Times:
    """Times of launch and end, by run id, of runs played by this site.

    Only for these runs do the times show whether results of other runs were visible before the launch. Logs may be
    imported at any time, and outside agents and people play one seed after another.
    """
    rows = Run.objects.filter(
        organization=organization,
        agent__in=agents,
        agent__player_class=PlayerClass.SITE,
        imported=False,
        instance__environment__in=environments,
        ended_at__isnull=False,
    )
    moments = rows.values_list("id", "created_at", "ended_at")
    return {run: (launched, ended) for run, launched, ended in moments if ended}


def litmus_page(
    organization: Organization, litmus_filter: LitmusFilter, links: LeaderboardLinks
) -> tuple[LitmusLeaderboard, LitmusPage]:
    """The litmus table arranged for a page, and the charts and small tables beside it.

    Takes as many queries as two calls of `records_of`.
    """
    read = partial(records_of, organization=organization, litmus_filter=litmus_filter)
    records = read(metrics=(*SCORING, *page.PARETO))
    patience = read(metrics=(*page.NAMES, *page.CURVES), chart="names")
    rows = litmus_rows(records, litmus_filter)
    return build_leaderboard(rows, litmus_filter, links), page_of(rows, records, patience, litmus_filter, links)
