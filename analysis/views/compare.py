"""Two to four agents compared over the instances that they have in common; two to six runs of one instance compared."""

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.vary import vary_on_headers

from accounts.pages.requests import MemberRequest, period_problem, whole
from analysis.base.selectors import styles_of_agents
from analysis.run_comparison import selectors as reading
from analysis.run_comparison.sentences import answer, cautions, parted, periods_table, player
from analysis.views.answers import period_urls, table_file
from games.overlay import run_paths
from games.registry import overlay_figure
from infrastructure.figures.theme import PlotlyFigure, empty_figure
from runs.models import Run


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
        periods_table(runs, reading.outcomes_of_runs(runs), reading.parting_of(runs)),
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
