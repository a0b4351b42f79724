"""The figures of the page of mechanisms. Each is of the environment that `chart` of the filter names."""

from collections.abc import Callable

from django.http import Http404
from django.urls import reverse

from accounts.models import Organization
from analysis.base.selectors import styles_of_agents
from analysis.benchmark.filters import TableFilter
from analysis.benchmark.table import BenchmarkColumn
from analysis.figures.mechanisms.heatmaps import PairLink, difficulty_figure, pooled_figure
from analysis.figures.mechanisms.litmus import litmus_strip
from analysis.figures.mechanisms.registry import metrics_of
from analysis.figures.mechanisms.scatter import release_figure, score_figure
from analysis.figures.theme import PlotlyFigure
from analysis.links import cell_query, conditions_query
from analysis.mechanisms.pairs import Player
from analysis.mechanisms.selectors import grid_of, litmus_records, means_of, one_environment

Link = Callable[[int], str]


def pairs(organization: Organization, chosen: TableFilter, link: Link) -> PlotlyFigure:
    """Tests over all difficulties together, and their consistency."""
    shown = shown_of(chosen)
    return pooled_figure(grid_of(organization=organization, chosen=shown), _pair_link(shown))


def difficulties(organization: Organization, chosen: TableFilter, link: Link) -> PlotlyFigure:
    """Tests by difficulty."""
    shown = shown_of(chosen)
    return difficulty_figure(grid_of(organization=organization, chosen=shown), _pair_link(shown))


def metric(
    organization: Organization, chosen: TableFilter, link: Link, key: str, *, by_release: bool = False
) -> PlotlyFigure:
    """The score over a metric, or this metric over the release date. Raises Http404 if the environment has no such metric."""
    shown = shown_of(chosen)
    named = next((one for one in metrics_of(shown.environments[0]) if one.key == key), None)
    if named is None:
        raise Http404("This environment has no such metric.")
    draw = release_figure if by_release else score_figure
    means = means_of(organization=organization, chosen=shown)
    styles = styles_of_agents(organization=organization)
    return draw(means, named, shown.difficulties, styles, lambda one: runs_of(shown, one.slug, one.difficulty))


def litmus(organization: Organization, chosen: TableFilter, link: Link) -> PlotlyFigure:
    """Litmus scores of single runs."""
    records = litmus_records(organization=organization, chosen=chosen)
    return litmus_strip(records, styles_of_agents(organization=organization), link)


def shown_of(chosen: TableFilter) -> TableFilter:
    """The filter of the environment that the page shows."""
    return one_environment(chosen, chosen.chart_environment)


def runs_of(shown: TableFilter, slug: str, difficulty: str) -> str:
    """The list of an agent's runs on a difficulty; published means have none."""
    if not slug:
        return ""
    column = BenchmarkColumn(shown.environments[0], difficulty)
    return f"{reverse('analysis:cell')}?{cell_query(slug, column, conditions_query(shown))}"


def _pair_link(shown: TableFilter) -> PairLink:
    """The comparison of two agents with the filters of the page, or the runs of one."""

    def link(row: Player, column: Player) -> str:
        if row is column:
            return runs_of(shown, row.slug, shown.difficulties[-1])
        return f"{reverse('analysis:compare')}?{shown.query(agents=(column.slug, row.slug), chart='')}"

    return link
