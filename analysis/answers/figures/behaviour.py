"""The figures of the behaviour page. `chart` of the filter names the environment of a figure."""

from collections.abc import Callable

from django.http import Http404
from django.urls import reverse

from accounts.models import Organization
from analysis.base.benchmark_filters import TableFilter
from analysis.base.leaderboard import cell_query, conditions_query, nowhere
from analysis.base.selectors import styles_of_agents
from analysis.base.table import BenchmarkColumn
from analysis.behaviour.pairs import AgentScores
from analysis.behaviour.selectors import filter_of_environment, grid_of, litmus_records, means_of
from analysis.figures.behaviour import heatmaps, scatter
from games.registry import parts_of
from infrastructure.figures.theme import PlotlyFigure

Link = Callable[[int], str]


def pairs(organization: Organization, table_filter: TableFilter, link: Link) -> PlotlyFigure:
    """Tests over all difficulties together, and their consistency."""
    narrowed = filter_of_chart(table_filter)
    return heatmaps.pooled_figure(grid_of(organization=organization, table_filter=narrowed), _pair_link(narrowed, link))


def difficulties(organization: Organization, table_filter: TableFilter, link: Link) -> PlotlyFigure:
    """Tests by difficulty."""
    narrowed = filter_of_chart(table_filter)
    return heatmaps.difficulty_figure(
        grid_of(organization=organization, table_filter=narrowed), _pair_link(narrowed, link)
    )


def metric(
    draw: Callable[..., PlotlyFigure],
) -> Callable[[Organization, TableFilter, Link, str], PlotlyFigure]:
    """A function that draws the metric of a key. It raises Http404 if the environment has no such metric."""

    def figure(organization: Organization, table_filter: TableFilter, link: Link, key: str) -> PlotlyFigure:
        narrowed = filter_of_chart(table_filter)
        metric = next((metric for metric in parts_of(narrowed.environments[0]).metrics if metric.key == key), None)
        if metric is None:
            raise Http404("This environment has no such metric.")
        means = means_of(organization=organization, table_filter=narrowed)
        styles = styles_of_agents(organization=organization)
        return draw(
            means,
            metric,
            narrowed.difficulties,
            styles,
            lambda agent: runs_url(narrowed, agent.slug, agent.difficulty),
        )

    return figure


def litmus(organization: Organization, table_filter: TableFilter, link: Link) -> PlotlyFigure:
    records = litmus_records(organization=organization, table_filter=table_filter)
    return scatter.litmus_strip(records, styles_of_agents(organization=organization), link)


def runs_url(narrowed: TableFilter, slug: str, difficulty: str) -> str:
    """The list of an agent's runs on a difficulty; empty for published means, which have no runs."""
    if not slug:
        return ""
    column = BenchmarkColumn(narrowed.environments[0], difficulty)
    return f"{reverse('analysis:cell')}?{cell_query(slug, column, conditions_query(narrowed))}"


def _pair_link(narrowed: TableFilter, run_link: Link) -> heatmaps.PairLink:
    """A function that returns the address of two agents' comparison with the page's filters, or of one agent's runs.

    Reports and visitors have no page of a run, so they have no links at all.
    """
    if not run_link(0).startswith("/"):
        return nowhere

    def link(row: AgentScores, column: AgentScores) -> str:
        if row is column:
            return runs_url(narrowed, row.slug, narrowed.difficulties[-1])
        return f"{reverse('analysis:compare')}?{narrowed.query(agents=(column.slug, row.slug), chart='')}"

    return link


def filter_of_chart(table_filter: TableFilter) -> TableFilter:
    """The filter narrowed to the environment that the page shows."""
    return filter_of_environment(table_filter, table_filter.chart_environment)
