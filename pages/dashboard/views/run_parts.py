"""What belongs to a run and has an address of its own: its notes, a period as a file, the hidden truth."""

from typing import Any

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.vary import vary_on_headers

from accounts.pages.requests import MemberRequest, typed, whole
from games.registry import parts_of
from pages.dashboard.selectors.runs import page as run_page
from pages.dashboard.selectors.runs.note_strip import note_strip
from pages.dashboard.selectors.runs.periods import NOTES_A_PAGE, note_ranges, notes_page, period_json
from runs.selectors.experiments import open_run_or_404


def period_download(request: MemberRequest, run_id: int, index: int) -> HttpResponse:
    run = open_run_or_404(organization=request.organization, run_id=run_id)
    data = period_json(run, index)
    if data is None:
        raise Http404("This period has not been played.")
    name = f"run-{run.pk}-period-{index}.json"
    return JsonResponse(
        data, json_dumps_params={"indent": 2}, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


def notes(request: MemberRequest, run_id: int) -> HttpResponse:
    """All notes of the run, page by page, or those that contain a text."""
    run = open_run_or_404(organization=request.organization, run_id=run_id)
    search_text = typed(request.GET, "text")
    first = min(whole(request.GET.get("first"), 0), run.periods - 1) // NOTES_A_PAGE * NOTES_A_PAGE
    context: dict[str, Any] = {"run": run, "head": run_page.run_head(run), "search_text": search_text, "first": first}
    if search_text:
        hits = run_page.notes_with(run, search_text)
        context |= {"hits": hits, "sentence": run_page.hits_sentence(hits, search_text)}
    else:
        context["notes"] = notes_page(run, first)
        context["players"] = len({note.player for note in context["notes"]})
        context["pages"] = note_ranges(run)
    return render(request, "pages/dashboard/notes.html", context)


def run_note_strip(request: MemberRequest, run_id: int) -> HttpResponse:
    """How the notes changed, a cell a period; 204 if no period was played since."""
    run = open_run_or_404(organization=request.organization, run_id=run_id)
    if run.is_active and request.GET.get("version") == str(run.periods_played):
        return HttpResponse(status=204)
    return render(request, "pages/dashboard/_note_strip.html", {"run": run, "strips": note_strip(run)})


@vary_on_headers("HX-Request")
def hidden(request: MemberRequest, run_id: int) -> HttpResponse:
    """Hidden parameters and optimum of the instance, loaded on demand."""
    run = open_run_or_404(organization=request.organization, run_id=run_id)
    instance = run.instance
    sections = parts_of(instance.environment).presenter.hidden(instance) if instance.reference is not None else []
    context = {"run": run, "sections": sections, "head": run_page.run_head(run)}
    return render(request, "pages/dashboard/_hidden.html" if request.htmx else "pages/dashboard/hidden.html", context)
