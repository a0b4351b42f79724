"""The search over notes and transcripts, and analyses of notes: the list, a new one, its progress, its result."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest, take_errors
from analysis.base.selectors import styles_of_agents
from analysis.notes.forms import SearchForm, StudyForm
from analysis.notes.models import NotesAnalysis
from analysis.notes.search.selectors import index_state, search
from analysis.notes.search.words import MOST_TERMS
from analysis.notes.study import embedding, labels, pages, selectors, services
from analysis.views.answers import table_file
from infrastructure.claims import JobState
from infrastructure.figures.theme import empty_figure
from infrastructure.money import nano
from infrastructure.paging import LIST_PAGE, paged
from runs.selectors.experiments import run_or_404, run_title

NOT_SEEN = "Look at what it would read and cost, then start it."


@require_safe
def analyses_page(request: MemberRequest) -> HttpResponse:
    page = paged(
        selectors.analyses(organization=request.organization),
        LIST_PAGE,
        request.GET.get("page"),
        lambda row: (row, selectors.StudyFilter.model_validate(row.filter)),
    )
    return render(request, "analysis/notes/analyses.html", {"page": page})


@editor_required
@require_http_methods(["GET", "POST"])
def new(request: MemberRequest) -> HttpResponse:
    """The form of an analysis with its extent and cost. Starting requires that both were shown for the same values."""
    form = StudyForm(request.POST if request.method == "POST" else request.GET, request.organization)
    study_filter, is_valid = form.study_filter(), form.is_valid()
    context = _preview(request, form, study_filter)
    if request.method == "POST" and is_valid:
        if request.POST.get("seen") != context["seen"]:
            form.add_error(None, NOT_SEEN)
        elif (started := _start(request, form, study_filter)) is not None:
            return redirect("notes:analysis", started.pk)
    context |= {"form": form, "study_filter": study_filter}
    return render(request, "analysis/notes/new.html", context, status=422 if request.method == "POST" else 200)


def _start(request: MemberRequest, form: StudyForm, study_filter: selectors.StudyFilter) -> NotesAnalysis | None:
    values = {name: form.cleaned_data[name] for name in ("name", "endpoint", "model", "price", "labels_by")}
    try:
        return services.analysis_start(
            organization=request.organization, user=request.user, study_filter=study_filter, **values
        )
    except ValidationError as error:
        take_errors(form, error)
        return None


def _preview(request: MemberRequest, form: StudyForm, study_filter: selectors.StudyFilter) -> dict[str, Any]:
    """The extent of an analysis, and its cost at an endpoint. seen: identifies the values that were shown"""
    scope = selectors.scope_of(organization=request.organization, study_filter=study_filter)
    endpoint, price = form.cleaned_data.get("endpoint"), form.cleaned_data.get("price")
    context: dict[str, Any] = {"scope": scope, "seen": study_filter.query(), "sent": _filled_fields(form)}
    if endpoint is not None:
        tokens = embedding.tokens_estimated(scope)
        context |= {
            "tokens": tokens,
            "cost": None if price is None else embedding.cost_nano(tokens, nano(price)),
            "most_embedded": embedding.MOST_EMBEDDED,
            "seen": f"{study_filter.query()}&endpoint={endpoint.pk}&price={price}",
        }
    if namer := form.cleaned_data.get("labels_by"):
        writers: Any = form.fields["agents"]
        queries, cost = labels.names_estimated(namer, scope, len(study_filter.agents or writers.choices))
        context |= {"clusters": queries, "labels_cost": cost, "seen": f"{context['seen']}&labels_by={namer.pk}"}
    return context


def _filled_fields(form: StudyForm) -> list[tuple[str, str]]:
    """The form's filled fields as (name, value), to send when the shown analysis is started."""
    data: Any = form.data
    return [(name, value) for name in form.fields for value in data.getlist(name) if value]


def of_analysis(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A view of an analysis gets its row instead of its id."""

    @wraps(view)
    def with_row(request: MemberRequest, analysis_id: int | str, **options: Any) -> HttpResponse:
        row = selectors.analysis_or_404(organization=request.organization, analysis_id=int(analysis_id))
        return view(request, row, **options)

    return with_row


@require_safe
@of_analysis
def analysis(request: MemberRequest, notes_analysis: NotesAnalysis) -> HttpResponse:
    return render(request, "analysis/notes/analysis.html", _analysis_context(request, notes_analysis))


@require_safe
@of_analysis
def live(request: MemberRequest, notes_analysis: NotesAnalysis) -> HttpResponse:
    """The progress; 204 if nothing changed since the given version. When the analysis ends, the page is reloaded."""
    if not notes_analysis.is_working:
        return HttpResponse(headers={"HX-Refresh": "true"})
    if request.GET.get("version") == selectors.version_of(notes_analysis):
        return HttpResponse(status=204)
    return render(request, "analysis/notes/_progress.html", _analysis_context(request, notes_analysis))


def _analysis_context(request: MemberRequest, notes_analysis: NotesAnalysis) -> dict[str, Any]:
    study_filter = selectors.StudyFilter.model_validate(notes_analysis.filter)
    context: dict[str, Any] = {"analysis": notes_analysis, "study_filter": study_filter}
    if notes_analysis.is_working:
        return context | {
            "waiting": selectors.waiting_reason(notes_analysis),
            "version": selectors.version_of(notes_analysis),
        }
    context |= selectors.billed(notes_analysis)
    if notes_analysis.result_left is not None:
        context["study"] = pages.study_page(
            notes_analysis.result_left,
            styles_of_agents(organization=request.organization),
            naming=f"Name by {notes_analysis.labels_by.name}" if notes_analysis.labels_by else "Words that stand out",
            vectors=notes_analysis.model,
            figure=reverse("notes:figure", args=[notes_analysis.pk]),
        )
    return context


@require_safe
@of_analysis
def figure(request: MemberRequest, notes_analysis: NotesAnalysis) -> JsonResponse:
    if notes_analysis.result_left is None:
        return JsonResponse(empty_figure("The analysis is not done."))
    return JsonResponse(
        pages.scatter_figure(notes_analysis.result_left, styles_of_agents(organization=request.organization))
    )


@require_safe
@of_analysis
def result_file(request: MemberRequest, notes_analysis: NotesAnalysis, form: str) -> HttpResponse:
    if notes_analysis.result_left is None:
        raise Http404("The analysis has no result.")
    name = f"notes-analysis-{notes_analysis.pk}"
    if form == "csv":
        return table_file(request, pages.clusters_table(notes_analysis.result_left), form, name)
    return JsonResponse(
        {"filter": notes_analysis.filter, **notes_analysis.result_left},
        json_dumps_params={"indent": 1},
        headers={"Content-Disposition": f'attachment; filename="{name}.json"'},
    )


@editor_required
@require_POST
@of_analysis
def cancel(request: MemberRequest, notes_analysis: NotesAnalysis) -> HttpResponse:
    if notes_analysis.state != JobState.CANCELLED and not services.analysis_cancel(analysis=notes_analysis):
        messages.error(request, "It had ended already.")
    return redirect("notes:analysis", notes_analysis.pk)


@editor_required
@require_POST
@of_analysis
def resume(request: MemberRequest, notes_analysis: NotesAnalysis) -> HttpResponse:
    if not services.analysis_resume(analysis=notes_analysis):
        messages.error(request, "Only a failed analysis can be resumed.")
    return redirect("notes:analysis", notes_analysis.pk)


@editor_required
@require_POST
@of_analysis
def delete(request: MemberRequest, notes_analysis: NotesAnalysis) -> HttpResponse:
    services.analysis_delete(analysis=notes_analysis)
    messages.success(request, f"Deleted the analysis “{notes_analysis.name}”.")
    return redirect("notes:analyses")


@require_safe
def search_page(request: MemberRequest) -> HttpResponse:
    form = SearchForm(request.GET, request.organization)
    search_filter = form.search_filter()
    if request.GET.get("run") and search_filter.run is None:
        raise Http404("There is no such run.")
    within = run_or_404(organization=request.organization, run_id=search_filter.run) if search_filter.run else None
    context = {
        "form": form,
        "search_filter": search_filter,
        "results": search(organization=request.organization, search_filter=search_filter, page=request.GET.get("page")),
        "within": within,
        "everywhere": urlencode({"q": search_filter.typed}),
        "title": run_title(within) if within else "",
        "index_state": index_state(organization=request.organization),
        "most_terms": MOST_TERMS,
    }
    return render(request, "analysis/notes/search.html", context)
