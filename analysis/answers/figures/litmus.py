"""The figures of the litmus page, one or more for each litmus test."""

from collections.abc import Callable

from accounts.models import Organization
from analysis.base.litmus_filters import LitmusFilter
from analysis.base.published import PublishedLitmus, litmus_scores
from analysis.base.selectors import styles_of_agents
from analysis.figures.markets import market_figure
from analysis.figures.pareto import pareto_figure
from analysis.figures.printed import published_scores
from analysis.litmus import page
from analysis.litmus.runs import records_of
from environments.patience.cells import horizons
from games.patience.episode_figure import NO_RUNS, choice_curves
from games.patience.names_figure import name_strip
from games.patience.reliability_figure import RateCurve, reliability_figure
from games.registry import LITMUS_CHARTS
from infrastructure.figures.theme import PlotlyFigure, empty_figure, run_suffix
from runs.models import Instance


def printed_scores(chart: str, litmus_filter: LitmusFilter) -> list[PublishedLitmus]:
    """The published scores of the test of a chart; none where the filter leaves them out."""
    test = LITMUS_CHARTS[chart][0] if litmus_filter.shows_published else None
    return [score for score in litmus_scores() if score.test == test and score.litmus is not None]


def pareto(organization: Organization, litmus_filter: LitmusFilter, link: Callable[[int], str]) -> PlotlyFigure:
    records = records_of(organization=organization, litmus_filter=litmus_filter, metrics=page.PARETO, chart="pareto")
    runs = page.pareto_runs(records, litmus_filter.seed)
    rows = Instance.objects.filter(
        organization=organization, pk__in={run.instance_id for run in runs}, reference__isnull=False
    )
    instances = {row.pk: row.as_problem() for row in rows}
    styles = styles_of_agents(organization=organization)
    return pareto_figure(runs, instances, styles, link, printed_scores("pareto", litmus_filter))


def markets(organization: Organization, litmus_filter: LitmusFilter, link: Callable[[int], str]) -> PlotlyFigure:
    records = records_of(organization=organization, litmus_filter=litmus_filter, metrics=page.MARKET, chart="markets")
    styles = styles_of_agents(organization=organization)
    return market_figure(page.market_runs(records), styles, link, printed_scores("markets", litmus_filter))


def patience(organization: Organization, litmus_filter: LitmusFilter, link: Callable[[int], str]) -> PlotlyFigure:
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


def reliability(organization: Organization, litmus_filter: LitmusFilter, link: Callable[[int], str]) -> PlotlyFigure:
    """Reliability of every rate in each agent's latest finished run."""
    chart = "reliability-curve"
    records = records_of(organization=organization, litmus_filter=litmus_filter, metrics=page.CURVES, chart=chart)
    runs = list(page.latest_by_agent(records, chart).values())
    rows = Instance.objects.filter(organization=organization, pk__in={run.instance_id for run in runs})
    asked_horizons = {row.pk: horizons(row.as_problem().parameters) for row in rows}
    styles = styles_of_agents(organization=organization)
    curves = [
        RateCurve.of(
            f"{run.agent_name}{run_suffix(run.run_id, link(run.run_id))}",
            asked_horizons[run.instance_id],
            run.metrics["by_horizon"] or {},
            styles[run.agent_id],
            link(run.run_id),
        )
        for run in runs
    ]
    marks = published_scores(
        printed_scores(chart, litmus_filter),
        lambda score: (100 * (score.litmus or 0.0), score.reliability or 0.0),
        "rate",
    )
    return reliability_figure([curve for curve in curves if curve], marks)


def names(organization: Organization, litmus_filter: LitmusFilter, link: Callable[[int], str]) -> PlotlyFigure:
    metrics = (*page.NAMES, *page.CURVES)
    records = records_of(organization=organization, litmus_filter=litmus_filter, metrics=metrics, chart="names")
    styles = styles_of_agents(organization=organization)
    return name_strip(page.name_scores(records, styles, link), select="url")
