"""Figures by name, as pages and the API load them.

To add a figure of a leaderboard, add a function, a line and a title here.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from accounts.models import Organization
from analysis.base.benchmark_filters import CompareFilter, TableFilter, environment_title
from analysis.base.litmus_filters import LitmusFilter
from analysis.base.selectors import styles_of_agents
from analysis.comparing.comparison import Comparison
from analysis.figures import dots, trend
from analysis.figures.markets import market_figure
from analysis.figures.pareto import pareto_figure
from analysis.leaderboards import chart_runs, comparisons_of, records_of, table_of
from analysis.litmus import page
from analysis.mechanisms import figures as mechanisms
from analysis.trends.selectors import trends_of
from environments.patience.cells import horizons
from games.patience.episode_figure import NO_RUNS, choice_curves
from games.patience.names_figure import name_strip
from infrastructure.figures.theme import PlotlyFigure, empty_figure, run_suffix
from runs.models import Instance

RunLink = Callable[[int], str]
"""The address of a run by its id; empty for a dot without a link."""


def strip(organization: Organization, table_filter: TableFilter, link: RunLink) -> PlotlyFigure:
    """Scores of single runs by agent, in the environment chosen for the chart."""
    chart_filter = table_filter.with_values(environments=(table_filter.chart_environment,))
    table = table_of(organization=organization, table_filter=chart_filter)
    runs = chart_runs(organization=organization, table_filter=table_filter)
    return dots.strip_figure(table, runs, styles_of_agents(organization=organization), link)


def pareto(organization: Organization, litmus_filter: LitmusFilter, link: RunLink) -> PlotlyFigure:
    records = records_of(organization=organization, litmus_filter=litmus_filter, metrics=page.PARETO, chart="pareto")
    runs = page.pareto_runs(records, litmus_filter.seed)
    rows = Instance.objects.filter(
        organization=organization, pk__in={run.instance_id for run in runs}, reference__isnull=False
    )
    instances = {row.pk: row.as_problem() for row in rows}
    return pareto_figure(runs, instances, styles_of_agents(organization=organization), link)


def markets(organization: Organization, litmus_filter: LitmusFilter, link: RunLink) -> PlotlyFigure:
    records = records_of(organization=organization, litmus_filter=litmus_filter, metrics=page.MARKET, chart="markets")
    return market_figure(page.market_runs(records), styles_of_agents(organization=organization), link)


def patience(organization: Organization, litmus_filter: LitmusFilter, link: RunLink) -> PlotlyFigure:
    """Choice curves of one agent's latest finished run."""
    records = records_of(organization=organization, litmus_filter=litmus_filter, metrics=page.CURVES, chart="patience")
    latest_runs = page.latest_by_agent(records, "patience").values()
    run = next((run for run in latest_runs if run.agent_slug == litmus_filter.agent), next(iter(latest_runs), None))
    if run is None:
        return empty_figure(NO_RUNS)
    instance = Instance.objects.get(organization=organization, pk=run.instance_id)
    colour = styles_of_agents(organization=organization)[run.agent_id].colour
    address = link(run.run_id)
    measured = run.metrics["by_horizon"] or {}
    player = f"{run.agent_name}{run_suffix(run.run_id, address)}"
    return choice_curves(
        horizons(instance.parameters), measured, colour, lambda *point: address, select="url", player=player
    )


def names(organization: Organization, litmus_filter: LitmusFilter, link: RunLink) -> PlotlyFigure:
    metrics = (*page.NAMES, *page.CURVES)
    records = records_of(organization=organization, litmus_filter=litmus_filter, metrics=metrics, chart="names")
    styles = styles_of_agents(organization=organization)
    return name_strip(page.name_scores(records, styles, link), select="url")


def comparison(
    organization: Organization, run_filter: TableFilter | LitmusFilter, link: RunLink, key: str = ""
) -> PlotlyFigure:
    """The scores of two agents by instance, for the comparison that the page shows."""
    current_comparison = comparison_by_key(comparisons_of(organization=organization, run_filter=run_filter), key)
    return (
        dots.dumbbell_figure(current_comparison, styles_of_agents(organization=organization), link)
        if current_comparison
        else empty_figure(dots.NO_PAIRS)
    )


def comparison_by_key(comparisons: Iterable[Comparison], key: str) -> Comparison | None:
    """The comparison with this key, else the first one with an instance in common."""
    with_pairs = [comparison for comparison in comparisons if comparison.pairs]
    by_key = (comparison for comparison in with_pairs if comparison.key == key)
    return next(by_key, with_pairs[0] if with_pairs else None)


def trends(organization: Organization, table_filter: TableFilter, link: RunLink) -> PlotlyFigure:
    """Scores by release date of the model."""
    column_trends = trends_of(organization=organization, table_filter=table_filter)
    return trend.trend_figure(column_trends, styles_of_agents(organization=organization), link)


def strip_titles(table_filter: TableFilter) -> dict[str, str]:
    """A title for the strip plot of each environment, by figure name, such as 'strip.pricing'."""
    return {f"strip.{name}": f"{environment_title(name)}, each dot is one run" for name in table_filter.environments}


DrawFigure = Callable[[Organization, Any, RunLink], PlotlyFigure]

BENCHMARK_FIGURES: dict[str, DrawFigure] = {"strip": strip}
LITMUS_FIGURES: dict[str, DrawFigure] = {"pareto": pareto, "markets": markets, "patience": patience, "names": names}
LITMUS_TITLES = {
    "pareto": "Efficiency against equality, each dot is one run",
    "markets": "Average prices of two sellers, each dot is one run",
    "patience": "Choices of more money later, by horizon",
    "names": "Does the user's name matter?",
}


@dataclass(frozen=True)
class NamedFigure:
    """A figure of the benchmarks on a page other than a leaderboard.

    about: what it shows
    of_metric: whether `draw` also takes the key of a metric
    """

    about: str
    draw: Callable[..., PlotlyFigure]
    filter_class: type[TableFilter] = TableFilter
    of_metric: bool = False


FIGURES = {
    "trends": NamedFigure("scores by release date of the model", trends),
    "comparison": NamedFigure(
        "two agents by instance, the first two that finished one in common", comparison, CompareFilter
    ),
    "pairs": NamedFigure("tests of every two agents", mechanisms.pairs),
    "difficulties": NamedFigure("these tests by difficulty", mechanisms.difficulties),
    "metric": NamedFigure("scores over a metric", mechanisms.metric, of_metric=True),
    "releases": NamedFigure("a metric by release date", partial(mechanisms.metric, by_release=True), of_metric=True),
    "litmus-scores": NamedFigure("litmus scores of single runs", mechanisms.litmus),
}
