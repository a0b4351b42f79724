"""Every table by its name, as the API and the command line give it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from accounts.models import Organization
from analysis import exports
from analysis.agent_page.exports import findings, history
from analysis.agent_page.selectors import findings_of, histories_of
from analysis.benchmark.filters import TableFilter
from analysis.boards import benchmark_records, table_of
from analysis.comparing.filters import CompareForm
from analysis.comparing.selectors import comparisons_of
from analysis.forms import BenchmarkForm
from analysis.mechanisms.exports import difficulty_tests, metric_means, pair_tests, reasoning_models
from analysis.mechanisms.selectors import grid_of, means_of, one_environment, reasoning_of
from analysis.trends.selectors import trends_of
from infrastructure.text.tables import Table


@dataclass(frozen=True)
class NamedTable:
    """about: what a row is; build: the table of an organization's runs that fit a filter

    form: reads the filter of a table of the benchmarks; None for a table of agents, which has an AgentFilter
    """

    about: str
    build: Callable[[Organization, Any], Table]
    form: type[BenchmarkForm] | None = BenchmarkForm


def _of_each_environment(build: Callable[[Organization, TableFilter], Table]) -> Callable[..., Table]:
    """The rows of a table that is of one environment, one environment after the other."""

    def joined(organization: Organization, chosen: TableFilter) -> Table:
        parts = [build(organization, one_environment(chosen, environment)) for environment in chosen.environments]
        return Table(parts[0].title, parts[0].columns, [row for part in parts for row in part.rows])

    return joined


TABLES = {
    "leaderboard": NamedTable(
        "mean scores, a row for each agent, environment and difficulty",
        lambda owner, chosen: exports.benchmark_cells(table_of(organization=owner, table_filter=chosen)),
    ),
    "runs": NamedTable(
        "runs in all states",
        lambda owner, chosen: exports.benchmark_runs(benchmark_records(organization=owner, table_filter=chosen)),
    ),
    "comparisons": NamedTable(
        "differences of every two of the named agents",
        lambda owner, chosen: exports.comparison_numbers(comparisons_of(organization=owner, chosen=chosen)),
        CompareForm,
    ),
    "instances": NamedTable(
        "scores of every two of the named agents by instance",
        lambda owner, chosen: exports.comparison_pairs(comparisons_of(organization=owner, chosen=chosen)),
        CompareForm,
    ),
    "trends": NamedTable(
        "slopes of scores over release dates",
        lambda owner, chosen: exports.trend_slopes(trends_of(organization=owner, chosen=chosen)),
    ),
    "observations": NamedTable(
        "scores with the release dates of their models",
        lambda owner, chosen: exports.trend_observations(trends_of(organization=owner, chosen=chosen)),
    ),
    "pairs": NamedTable(
        "tests of every two agents",
        _of_each_environment(lambda owner, chosen: pair_tests(grid_of(organization=owner, chosen=chosen))),
    ),
    "difficulties": NamedTable(
        "tests of each agent's easiest against its hardest difficulty",
        _of_each_environment(lambda owner, chosen: difficulty_tests(grid_of(organization=owner, chosen=chosen))),
    ),
    "reasoning": NamedTable(
        "tests of reasoning models against other models",
        _of_each_environment(
            lambda owner, chosen: reasoning_models(
                chosen.environments[0], reasoning_of(organization=owner, chosen=chosen)
            )
        ),
    ),
    "metrics": NamedTable(
        "mean metrics of runs beside mean scores",
        _of_each_environment(
            lambda owner, chosen: metric_means(chosen.environments[0], means_of(organization=owner, chosen=chosen))
        ),
    ),
    "history": NamedTable(
        "scores of agents by environment, difficulty and further conditions",
        lambda owner, chosen: history(histories_of(organization=owner, chosen=chosen)),
        form=None,
    ),
    "findings": NamedTable(
        "in how many runs of agents each rule found something",
        lambda owner, chosen: findings(findings_of(organization=owner, chosen=chosen)),
        form=None,
    ),
}

BENCHMARK_TABLES = tuple(name for name, table in TABLES.items() if table.form)
AGENT_TABLES = tuple(name for name, table in TABLES.items() if not table.form)
