"""All tables by name, as the API and the command line export them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from accounts.models import Organization
from analysis import exports
from analysis.agent_page.history import AgentFilter
from analysis.agent_page.selectors import findings_of, histories_of
from analysis.base.benchmark_filters import CompareFilter, TableFilter
from analysis.base.filters import Filter
from analysis.base.leaderboard import NO_LINKS
from analysis.base.litmus_filters import CompareLitmusFilter, LitmusFilter
from analysis.comparing.comparison import Comparison
from analysis.exports import findings, history
from analysis.kinds import LEADERBOARD_TYPES
from analysis.leaderboards import benchmark_records, comparisons_of, litmus_rows, records_of, table_of
from analysis.litmus.exports import PANELS, litmus_cells, litmus_runs
from analysis.litmus.page import PARETO
from analysis.mechanisms import exports as mechanisms
from analysis.mechanisms.exports import difficulty_tests, metric_means, pair_tests, reasoning_models
from analysis.mechanisms.selectors import filter_of_environment, grid_of, litmus_records, means_of, reasoning_of
from analysis.models import LeaderboardKind
from analysis.trends.selectors import trends_of
from infrastructure.text.tables import Table


@dataclass(frozen=True)
class NamedTable:
    """A table that can be exported.

    about: what a row is
    build: returns the table, from the organization and a filter
    """

    about: str
    build: Callable[[Organization, Any], Table]
    filter_class: type[Filter] = TableFilter


def _for_each_environment(build: Callable[[Organization, TableFilter], Table]) -> Callable[..., Table]:
    """Turn a builder for one environment into a builder that joins the rows of all environments in the filter."""

    def joined(organization: Organization, table_filter: TableFilter) -> Table:
        parts = [
            build(organization, filter_of_environment(table_filter, environment))
            for environment in table_filter.environments
        ]
        return Table(parts[0].title, parts[0].columns, [row for part in parts for row in part.rows])

    return joined


def _litmus_cells(owner: Organization, litmus_filter: LitmusFilter) -> Table:
    return litmus_cells(litmus_rows(records_of(organization=owner, litmus_filter=litmus_filter), litmus_filter))


def _litmus_panel(name: str) -> Callable[[Organization, LitmusFilter], Table]:
    return lambda owner, litmus_filter: PANELS[name](
        LEADERBOARD_TYPES[LeaderboardKind.LITMUS].build(owner, litmus_filter, NO_LINKS)[1]
    )


def _comparisons(write: Callable[[list[Comparison]], Table]) -> Callable[[Organization, Any], Table]:
    return lambda owner, run_filter: write(comparisons_of(organization=owner, run_filter=run_filter))


TABLES = {
    "leaderboard": NamedTable(
        "mean scores, a row for each agent, environment and difficulty",
        lambda owner, table_filter: exports.benchmark_cells(table_of(organization=owner, table_filter=table_filter)),
    ),
    "runs": NamedTable(
        "runs in all states",
        lambda owner, table_filter: exports.benchmark_runs(
            benchmark_records(organization=owner, table_filter=table_filter)
        ),
    ),
    "comparisons": NamedTable(
        "differences of every two of the named agents",
        _comparisons(exports.comparison_numbers),
        CompareFilter,
    ),
    "instances": NamedTable(
        "scores of every two of the named agents by instance",
        _comparisons(exports.comparison_pairs),
        CompareFilter,
    ),
    "trends": NamedTable(
        "slopes of scores over release dates",
        lambda owner, table_filter: exports.trend_slopes(trends_of(organization=owner, table_filter=table_filter)),
    ),
    "observations": NamedTable(
        "scores with the release dates of their models",
        lambda owner, table_filter: exports.trend_observations(
            trends_of(organization=owner, table_filter=table_filter)
        ),
    ),
    "pairs": NamedTable(
        "tests of every two agents",
        _for_each_environment(
            lambda owner, table_filter: pair_tests(grid_of(organization=owner, table_filter=table_filter))
        ),
    ),
    "difficulties": NamedTable(
        "tests of each agent's easiest against its hardest difficulty",
        _for_each_environment(
            lambda owner, table_filter: difficulty_tests(grid_of(organization=owner, table_filter=table_filter))
        ),
    ),
    "reasoning": NamedTable(
        "tests of reasoning models against other models",
        _for_each_environment(
            lambda owner, table_filter: reasoning_models(
                table_filter.environments[0], reasoning_of(organization=owner, table_filter=table_filter)
            )
        ),
    ),
    "metrics": NamedTable(
        "mean metrics of runs beside mean scores",
        _for_each_environment(
            lambda owner, table_filter: metric_means(
                table_filter.environments[0], means_of(organization=owner, table_filter=table_filter)
            )
        ),
    ),
    "litmus-scores": NamedTable(
        "finished runs of the litmus tests under the filters of the benchmarks",
        lambda owner, table_filter: mechanisms.litmus_runs(
            litmus_records(organization=owner, table_filter=table_filter)
        ),
    ),
    "litmus": NamedTable(
        "litmus, competency and reliability, a row for each agent and test",
        _litmus_cells,
        LitmusFilter,
    ),
    "litmus-runs": NamedTable(
        "runs of the litmus tests in all states",
        lambda owner, litmus_filter: litmus_runs(
            records_of(organization=owner, litmus_filter=litmus_filter, metrics=PARETO)
        ),
        LitmusFilter,
    ),
    "litmus-standings": NamedTable(
        "means of efficiency and equality by agent", _litmus_panel("standings"), LitmusFilter
    ),
    "litmus-rates": NamedTable("rates a year of patient choices by horizon", _litmus_panel("rates"), LitmusFilter),
    "litmus-name-tests": NamedTable("tests of users' names", _litmus_panel("name-tests"), LitmusFilter),
    "litmus-comparisons": NamedTable(
        "differences of litmus scores of every two of the named agents",
        _comparisons(exports.comparison_numbers),
        CompareLitmusFilter,
    ),
    "litmus-instances": NamedTable(
        "litmus scores of every two of the named agents by instance",
        _comparisons(exports.comparison_pairs),
        CompareLitmusFilter,
    ),
    "history": NamedTable(
        "scores of agents by environment, difficulty and further conditions",
        lambda owner, agent_filter: history(histories_of(organization=owner, agent_filter=agent_filter)),
        filter_class=AgentFilter,
    ),
    "findings": NamedTable(
        "in how many runs of agents each rule found something",
        lambda owner, agent_filter: findings(findings_of(organization=owner, agent_filter=agent_filter)),
        filter_class=AgentFilter,
    ),
}


def tables_of(kind: str) -> tuple[str, ...]:
    """Names of the tables that read this kind of filter."""
    return tuple(name for name, table in TABLES.items() if table.filter_class.kind == kind)
