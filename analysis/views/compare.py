"""Two to four agents compared over the instances that they have in common; two to six runs of one instance compared."""

import math
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.vary import vary_on_headers

from accounts.pages.requests import MemberRequest, period_problem, whole
from analysis import exports
from analysis.base.filters import DIFFICULTIES, TableFilter
from analysis.base.selectors import styles_of_agents
from analysis.comparing.comparison import MOST_AGENTS, Comparison
from analysis.forms import COMPARE_FORMS, FilterForm
from analysis.kinds import filter_form
from analysis.leaderboard_figures import comparison as draw_comparison
from analysis.leaderboard_figures import comparison_by_key
from analysis.leaderboards import comparisons_of, staged_comparisons_of
from analysis.models import LeaderboardKind
from analysis.run_comparison import selectors as reading
from analysis.run_comparison.sentences import answer, cautions, parted, player
from analysis.views.answers import filtered_page, period_urls, run_url, table_file
from environments.base import PERIODS
from games.overlay import run_paths
from games.registry import overlay_figure
from infrastructure.figures.theme import PlotlyFigure, empty_figure
from runs.models import Run
from stats.sequential import sensible_sizes

LEAST_SEEDS = 12
"""The least number of seeds in the suggested launch for an undecided comparison."""


def compare(request: MemberRequest, kind: str) -> HttpResponse:
    form = _form(request, kind)
    comparisons = comparisons_of(organization=request.organization, run_filter=form.to_filter())
    with_pairs = [comparison for comparison in comparisons if comparison.pairs]
    return filtered_page(
        request,
        form,
        "analysis/compare.html",
        heading="Compare agents" if kind == LeaderboardKind.BENCHMARK else "Compare litmus scores",
        parent=kind,
        comparisons=comparisons,
        answered=[
            (comparison, _launch_query(comparison, form.to_filter())) for comparison in with_pairs or comparisons
        ],
        shown=comparison_by_key(comparisons, request.GET.get("shown", "")),
        most=MOST_AGENTS,
        staged=staged_comparisons_of(organization=request.organization, comparisons=comparisons)
        if kind == LeaderboardKind.BENCHMARK
        else [],
    )


def _launch_query(comparison: Comparison, run_filter: Any) -> str:
    """The query string of a staged launch on new seeds, for an undecided benchmark comparison of two agents; else empty.

    The launch has as many seeds for each difficulty as the comparison has on average, but at least LEAST_SEEDS. The new
    seeds are a comparison of their own, since adding them to seeds with visible results would be exploratory.
    """
    if comparison.is_decided or not isinstance(run_filter, TableFilter) or len(run_filter.agents) != 2:
        return ""
    seeds = [match.seed for match in comparison.matches]
    cells = list(dict.fromkeys(match.difficulty for match in comparison.matches))
    if not set(cells) <= set(DIFFICULTIES) or run_filter.generator != "published":
        return ""
    first, number = max(seeds) + 1, max(LEAST_SEEDS, math.ceil(len(seeds) / len(cells)))
    query = {
        "environment": comparison.environment,
        "difficulty": cells,
        "agent": run_filter.agents,
        "variant": run_filter.variant,
        "periods": "" if run_filter.periods == PERIODS else run_filter.periods,
        "seeds": f"{first}-{first + number - 1}",
        "stages": ", ".join(map(str, sensible_sizes(number, len(cells)))),
    }
    return urlencode(query, doseq=True)


def figure(request: MemberRequest, kind: str) -> JsonResponse:
    """The chart of one comparison, as JSON."""
    run_filter, key = _form(request, kind).to_filter(), request.GET.get("shown", "")
    return JsonResponse(draw_comparison(request.organization, run_filter, run_url, key))


def pairs(request: MemberRequest, kind: str, form: str) -> HttpResponse:
    """A file of the instances of every comparison, including those that only one agent finished."""
    return table_file(request, exports.comparison_pairs(_comparisons(request, kind)), form, "comparison")


def numbers(request: MemberRequest, kind: str, form: str) -> HttpResponse:
    """A file of the statistics of every comparison."""
    return table_file(request, exports.comparison_numbers(_comparisons(request, kind)), form, "comparison-numbers")


def _comparisons(request: MemberRequest, kind: str) -> list[Comparison]:
    return comparisons_of(organization=request.organization, run_filter=_form(request, kind).to_filter())


def _form(request: MemberRequest, kind: str) -> FilterForm[Any]:
    return filter_form(request.organization, COMPARE_FORMS[kind], request.GET)


@vary_on_headers("HX-Request")
def compare_runs(request: MemberRequest) -> HttpResponse:
    """The comparison of runs, opened at their first difference. A step to another period loads that period alone."""
    selection = _selection(request)
    runs = selection.compared
    if not runs:
        return render(request, "analysis/compare_runs.html", {"selection": selection, "most": reading.MOST_RUNS})
    last = reading.last_played(runs)
    context = {"runs": runs, "query": reading.query_of(runs), "last": last}
    if request.htmx and not request.htmx.history_restore_request:
        index = min(whole(request.GET.get("period"), 0), last)
        response = render(request, "analysis/_runs_period.html", context | _period(runs, index, last))
        response.headers["HX-Push-Url"] = request.get_full_path()
        return response
    parting = reading.parting_of(runs)
    if problem := period_problem(request.GET.get("period"), last):
        messages.error(request, problem)
    index = min(whole(request.GET.get("period"), parting.first or 0), last)
    context |= {
        "selection": selection,
        "instance": runs[0].instance,
        "answer": answer(runs),
        "parted": parted(parting),
        "parting": parting,
        "cautions": cautions(runs),
    }
    return render(request, "analysis/compare_runs.html", context | _period(runs, index, last))


def runs_figure(request: MemberRequest) -> JsonResponse:
    """The figure of the runs in the chart of their environment."""
    selection = _selection(request)
    return JsonResponse(_figure(request, selection.compared) if selection.compared else empty_figure(selection.refusal))


def _figure(request: MemberRequest, runs: list[Run]) -> PlotlyFigure:
    styles, outcomes = styles_of_agents(organization=request.organization), reading.outcomes_of_runs(runs)
    paths = run_paths(
        [(f"run {run.pk}, {player(run)}", styles[run.agent_id], outcomes[run.pk], period_urls(run.pk)) for run in runs]
    )
    return overlay_figure(runs[0].instance.as_problem(), paths, max(run.periods for run in runs))


def periods(request: MemberRequest, form: str) -> HttpResponse:
    """A file of every period of every run."""
    runs = _selection(request).compared
    return table_file(
        request,
        exports.run_periods(runs, reading.outcomes_of_runs(runs), reading.parting_of(runs)),
        form,
        "runs-compared",
    )


def _selection(request: MemberRequest) -> reading.ChosenRuns:
    return reading.chosen_runs(organization=request.organization, numbers=request.GET.getlist("run"))


def _period(runs: list[Run], index: int, last: int) -> dict[str, object]:
    return {
        "columns": reading.run_periods(runs, index),
        "preview_characters": reading.PREVIEW_CHARACTERS,
        "index": index,
        "previous": index - 1 if index else None,
        "next": index + 1 if index < last else None,
    }
