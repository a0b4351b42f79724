"""The figures of the mechanisms page. `chart` of the filter names the environment of a figure."""

from collections.abc import Callable

from django.http import Http404
from django.urls import reverse

from accounts.models import Organization
from analysis.base.benchmark_filters import TableFilter
from analysis.base.leaderboard import cell_query, conditions_query
from analysis.base.selectors import styles_of_agents
from analysis.benchmark.table import BenchmarkColumn
from analysis.figures.mechanisms import heatmaps, scatter
from analysis.mechanisms.pairs import AgentScores
from analysis.mechanisms.selectors import filter_of_environment, grid_of, litmus_records, means_of
from games.registry import parts_of
from infrastructure.figures.theme import PlotlyFigure

Link = Callable[[int], str]


def pairs(organization: Organization, table_filter: TableFilter, link: Link) -> PlotlyFigure:
    """Tests over all difficulties together, and their consistency."""
    chart_filter = filter_of_chart(table_filter)
    return heatmaps.pooled_figure(
        grid_of(organization=organization, table_filter=chart_filter), _pair_link(chart_filter)
    )


def difficulties(organization: Organization, table_filter: TableFilter, link: Link) -> PlotlyFigure:
    """Tests by difficulty."""
    chart_filter = filter_of_chart(table_filter)
    return heatmaps.difficulty_figure(
        grid_of(organization=organization, table_filter=chart_filter), _pair_link(chart_filter)
    )


def metric(
    organization: Organization, table_filter: TableFilter, link: Link, key: str, *, by_release: bool = False
) -> PlotlyFigure:
    """The score over a metric, or the metric over the release date.

    Raises Http404 if the environment has no such metric.
    """
    chart_filter = filter_of_chart(table_filter)
    requested_metric = next(
        (candidate for candidate in parts_of(chart_filter.environments[0]).metrics if candidate.key == key), None
    )
    if requested_metric is None:
        raise Http404("This environment has no such metric.")
    draw = scatter.release_figure if by_release else scatter.score_figure
    means = means_of(organization=organization, table_filter=chart_filter)
    styles = styles_of_agents(organization=organization)
    return draw(
        means,
        requested_metric,
        chart_filter.difficulties,
        styles,
        lambda agent: runs_url(chart_filter, agent.slug, agent.difficulty),
    )


def litmus(organization: Organization, table_filter: TableFilter, link: Link) -> PlotlyFigure:
    """Litmus scores of single runs."""
    records = litmus_records(organization=organization, table_filter=table_filter)
    return scatter.litmus_strip(records, styles_of_agents(organization=organization), link)


def filter_of_chart(table_filter: TableFilter) -> TableFilter:
    """The filter narrowed to the environment that the page shows."""
    return filter_of_environment(table_filter, table_filter.chart_environment)


def runs_url(chart_filter: TableFilter, slug: str, difficulty: str) -> str:
    """The list of an agent's runs on a difficulty; empty for published means, which have no runs."""
    if not slug:
        return ""
    column = BenchmarkColumn(chart_filter.environments[0], difficulty)
    return f"{reverse('analysis:cell')}?{cell_query(slug, column, conditions_query(chart_filter))}"


def _pair_link(chart_filter: TableFilter) -> heatmaps.PairLink:
    """A function that returns the address of two agents' comparison with the page's filters, or of one agent's runs."""

    def link(row: AgentScores, column: AgentScores) -> str:
        if row is column:
            return runs_url(chart_filter, row.slug, chart_filter.difficulties[-1])
        return f"{reverse('analysis:compare')}?{chart_filter.query(agents=(column.slug, row.slug), chart='')}"

    return link
