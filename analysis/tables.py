"""Every table by its name, as the API and the command line give it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from accounts.models import Organization
from analysis import exports
from analysis.agent_page.exports import findings, history
from analysis.agent_page.filters import AgentFilter
from analysis.agent_page.selectors import findings_of, histories_of
from analysis.benchmark.filters import TableFilter
from analysis.boards import benchmark_records, litmus_rows, records_of, table_of
from analysis.comparing.comparison import Comparison
from analysis.comparing.filters import CompareForm, CompareLitmusForm
from analysis.comparing.selectors import comparisons_of
from analysis.forms import BenchmarkForm, FilterForm, LitmusForm
from analysis.kinds import BOARD_TYPES
from analysis.links import NO_LINKS
from analysis.litmus.charts import PARETO
from analysis.litmus.exports import PANELS, litmus_cells, litmus_runs
from analysis.litmus.filters import LitmusFilter
from analysis.mechanisms import exports as mechanisms
from analysis.mechanisms.exports import difficulty_tests, metric_means, pair_tests, reasoning_models
from analysis.mechanisms.selectors import grid_of, litmus_records, means_of, one_environment, reasoning_of
from analysis.models import BoardKind
from analysis.trends.selectors import trends_of
from infrastructure.text.tables import Table

AGENTS = "agents"


@dataclass(frozen=True)
class NamedTable:
    """about: what a row is; build: the table of an organization's runs that fit a filter

    form: reads the filter of a table of benchmarks or litmus tests; None for a table of agents, which has an AgentFilter
    """

    about: str
    build: Callable[[Organization, Any], Table]
    form: type[FilterForm[Any]] | None = BenchmarkForm

    @property
    def filter_class(self) -> type[Any]:
        return self.form.filter_class if self.form else AgentFilter

    @property
    def kind(self) -> str:
        """Which filters it reads: those of a kind of leaderboard, or AGENTS."""
        return self.form.filter_class.kind if self.form else AGENTS


def _of_each_environment(build: Callable[[Organization, TableFilter], Table]) -> Callable[..., Table]:
    """The rows of a table that is of one environment, one environment after the other."""

    def joined(organization: Organization, chosen: TableFilter) -> Table:
        parts = [build(organization, one_environment(chosen, environment)) for environment in chosen.environments]
        return Table(parts[0].title, parts[0].columns, [row for part in parts for row in part.rows])

    return joined


def _litmus_cells(owner: Organization, chosen: LitmusFilter) -> Table:
    return litmus_cells(litmus_rows(records_of(organization=owner, litmus_filter=chosen), chosen))


def _litmus_panel(name: str) -> Callable[[Organization, LitmusFilter], Table]:
    return lambda owner, chosen: PANELS[name](BOARD_TYPES[BoardKind.LITMUS].build(owner, chosen, NO_LINKS)[1])


def _comparisons(write: Callable[[list[Comparison]], Table]) -> Callable[[Organization, Any], Table]:
    return lambda owner, chosen: write(comparisons_of(organization=owner, chosen=chosen))


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
        _comparisons(exports.comparison_numbers),
        CompareForm,
    ),
    "instances": NamedTable(
        "scores of every two of the named agents by instance",
        _comparisons(exports.comparison_pairs),
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
    "litmus-scores": NamedTable(
        "finished runs of the litmus tests under the filters of the benchmarks",
        lambda owner, chosen: mechanisms.litmus_runs(litmus_records(organization=owner, chosen=chosen)),
    ),
    "litmus": NamedTable(
        "litmus, competency and reliability, a row for each agent and test",
        _litmus_cells,
        LitmusForm,
    ),
    "litmus-runs": NamedTable(
        "runs of the litmus tests in all states",
        lambda owner, chosen: litmus_runs(records_of(organization=owner, litmus_filter=chosen, metrics=PARETO)),
        LitmusForm,
    ),
    "litmus-standings": NamedTable("means of efficiency and equality by agent", _litmus_panel("standings"), LitmusForm),
    "litmus-rates": NamedTable("rates a year of patient choices by horizon", _litmus_panel("rates"), LitmusForm),
    "litmus-name-tests": NamedTable("tests of users' names", _litmus_panel("name-tests"), LitmusForm),
    "litmus-comparisons": NamedTable(
        "differences of litmus scores of every two of the named agents",
        _comparisons(exports.comparison_numbers),
        CompareLitmusForm,
    ),
    "litmus-instances": NamedTable(
        "litmus scores of every two of the named agents by instance",
        _comparisons(exports.comparison_pairs),
        CompareLitmusForm,
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


def tables_of(kind: str) -> tuple[str, ...]:
    """Names of the tables that read the filters of a kind."""
    return tuple(name for name, table in TABLES.items() if table.kind == kind)
