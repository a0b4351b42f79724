"""Designs: the list, the designer with its live preview, one design with its measured difficulty."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest
from accounts.pages.typed import typed
from analysis.base.filters import BoardFilter
from analysis.benchmark.filters import DIFFICULTIES, TableFilter
from analysis.figures.instances.measured import measured_figure
from analysis.figures.theme import PlotlyFigure, empty_figure
from analysis.litmus.filters import LitmusFilter
from environments.registry import BENCHMARKS, GENERATION, score_format
from infrastructure.paging import LIST_PAGE, paged
from instances.forms import DesignForm, as_row, typed_settings
from instances.measuring.games import SEEDS, Measured, measured_of, refusal
from instances.measuring.services import measurement_cancel, measurement_start
from instances.selectors import design_list, measurement_of, measurement_version, settings_words, waiting_words
from instances.views.problems import shown, titles
from runs.launching.plan import format_seeds
from runs.models import Design
from runs.models.designs import MOST_NAME
from runs.selectors.designs import design_or_404, is_used, runs_of
from runs.services import design_archive, design_change, design_create, design_delete
from runs.services.designs import FROZEN

COPY = " (copy)"
PREVIEWS = 6
"""Seeds with a link on the page of a design."""


@require_safe
def designs(request: MemberRequest) -> HttpResponse:
    asked = {key: typed(request.GET, key) for key in ("text", "environment", "which")}
    rows = design_list(organization=request.organization, **asked)
    page = paged(
        rows, LIST_PAGE, request.GET.get("page"), lambda row: (row, settings_words(row.environment, row.settings))
    )
    return render(request, "instances/designs.html", {"page": page, "asked": asked, "environments": titles()})


@editor_required
@require_http_methods(["GET", "POST"])
def new(request: MemberRequest) -> HttpResponse:
    """The designer. The settings in the address, or those of `from`, are filled in."""
    if request.method == "POST":
        return _save(request, DesignForm(request.POST, organization=request.organization))
    data: dict[str, Any] = request.GET.dict()
    source = typed(request.GET, "from")
    if source.isdecimal():
        copied = design_or_404(organization=request.organization, design_id=int(source[:18]))
        copy = f"{copied.name[: MOST_NAME - len(COPY)]}{COPY}"
        data = {"environment": copied.environment, "name": copy, **typed_settings(copied)}
    return _designer(request, DesignForm(data, organization=request.organization))


@editor_required
@require_http_methods(["GET", "POST"])
def edit(request: MemberRequest, design_id: int) -> HttpResponse:
    """The designer of a design that no run uses."""
    design = design_or_404(organization=request.organization, design_id=design_id)
    if request.method == "GET" and is_used(design):
        messages.error(request, FROZEN)
        return redirect("instances:design", design.pk)
    data = (request.POST if request.method == "POST" else request.GET).dict() | {"environment": design.environment}
    form = DesignForm(data, organization=request.organization, design=design)
    return _save(request, form) if request.method == "POST" else _designer(request, form)


@editor_required
@require_safe
def design_preview(request: MemberRequest) -> HttpResponse:
    """Facts and figure of the typed settings, and a sentence at each wrong field."""
    form = DesignForm(request.GET, organization=request.organization)
    return render(request, "instances/_design_preview.html", _shown(request, form) | {"refresh": True})


def _save(request: MemberRequest, form: DesignForm) -> HttpResponse:
    if form.is_valid():
        values: dict[str, Any] = {"name": form.cleaned_data["name"], "settings": form.settings()}
        try:
            if form.design is None:
                design = design_create(
                    organization=request.organization, user=request.user, environment=form.environment_name, **values
                )
            else:
                design_change(design=(design := form.design), **values)
        except ValidationError as error:
            form.take(error.message_dict if hasattr(error, "error_dict") else {"": error.messages})
        else:
            messages.success(request, f"Saved the design “{design.name}”.")
            return redirect("instances:design", design.pk)
    return _designer(request, form, status=422)


def _designer(request: MemberRequest, form: DesignForm, status: int = 200) -> HttpResponse:
    context = _shown(request, form) | {"environments": titles(), "design": form.design}
    return render(request, "instances/designer.html", context, status=status)


def _shown(request: MemberRequest, form: DesignForm) -> dict[str, Any]:
    """The preview of the form. Until it is sent, an empty name is no error."""
    problem = form.shown()
    context: dict[str, Any] = {"form": form}
    if problem is not None:
        context |= shown(as_row(problem)) | {
            "query": form.query,
            "refusal": refusal(problem.environment, problem.settings),
        }
    return context


@require_safe
def design(request: MemberRequest, design_id: int) -> HttpResponse:
    found = design_or_404(organization=request.organization, design_id=design_id)
    generation, place = (
        GENERATION[found.environment],
        {"environment": found.environment, "difficulty": found.difficulty},
    )
    usual = generation.first
    easiest = next(iter(generation.difficulties))
    context = {
        "runs": runs_of(found).count(),
        "rows": [
            (one.label, f"{value:,.12g}", "" if value == usual[one.name] else f"{usual[one.name]:,.12g} on {easiest}")
            for one in generation.settings
            for value in [generation.filled(found.settings)[one.name]]
        ],
        "previews": [(seed, urlencode(place | {"seed": seed})) for seed in range(PREVIEWS)],
        "played": urlencode(place),
        "board": _board(found),
    }
    return render(request, "instances/design.html", _page(found) | context)


def _board(found: Design) -> str:
    """The address of the leaderboard with a column of the design; that of the litmus table for a litmus test."""
    chosen: BoardFilter = LitmusFilter(scope=found.difficulty)
    if found.environment in BENCHMARKS:
        chosen = TableFilter(environments=(found.environment,), difficulties=(*DIFFICULTIES, found.difficulty))
    return f"{reverse(chosen.PAGE)}?{chosen.query()}"


def _page(found: Design) -> dict[str, Any]:
    measurement = measurement_of(found)
    context: dict[str, Any] = {
        "design": found,
        "measurement": measurement,
        "refusal": refusal(found.environment, found.chosen),
        "seeds": format_seeds(SEEDS),
    }
    if measurement is None:
        return context
    context |= {"waiting": waiting_words(measurement), "version": measurement_version(measurement)}
    played = measured_of(found, measurement.measured)
    size = _strip(found, played)["layout"]["meta"]
    heights = (size["height"], size["narrow"].get("height", size["height"])) if "narrow" in size else (200, 200)
    return context | {"measured": played, "heights": heights}


@require_safe
def design_file(request: MemberRequest, design_id: int) -> HttpResponse:
    found = design_or_404(organization=request.organization, design_id=design_id)
    plain = {
        "environment": found.environment, "difficulty": found.difficulty, "name": found.name, "settings": found.chosen,
    }  # fmt: skip
    name = f"{found.environment}-{found.difficulty}.json".lower().replace("+", "-")
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return JsonResponse(plain, json_dumps_params={"indent": 1}, headers=headers)


@editor_required
@require_POST
def archive(request: MemberRequest, design_id: int) -> HttpResponse:
    """Archive the design, or offer it again."""
    found = design_or_404(organization=request.organization, design_id=design_id)
    archived = request.POST.get("archived") == "1"
    design_archive(design=found, archived=archived)
    done = "Archived; launches no longer offer it." if archived else "Launches offer the design again."
    messages.success(request, done)
    return redirect("instances:design", found.pk)


@editor_required
@require_POST
def delete(request: MemberRequest, design_id: int) -> HttpResponse:
    found = design_or_404(organization=request.organization, design_id=design_id)
    try:
        design_delete(design=found)
    except ValidationError as error:
        messages.error(request, error.messages[0])
        return redirect("instances:design", design_id)
    messages.success(request, f"Deleted the design “{found.name}”.")
    return redirect("instances:designs")


@editor_required
@require_POST
def measure(request: MemberRequest, design_id: int) -> HttpResponse:
    found = design_or_404(organization=request.organization, design_id=design_id)
    try:
        measurement_start(design=found, user=request.user)
    except ValidationError as error:
        messages.error(request, error.messages[0])
    return redirect("instances:design", found.pk)


@editor_required
@require_POST
def measure_cancel(request: MemberRequest, design_id: int) -> HttpResponse:
    found = design_or_404(organization=request.organization, design_id=design_id)
    if not measurement_cancel(design=found):
        messages.error(request, "It had ended already.")
    return redirect("instances:design", found.pk)


@require_safe
def measure_live(request: MemberRequest, design_id: int) -> HttpResponse:
    """The progress; 204 if nothing changed since the given version. When it ends the page is loaded again."""
    found = design_or_404(organization=request.organization, design_id=design_id)
    measurement = measurement_of(found)
    if measurement is None or not measurement.is_working:
        return HttpResponse(headers={"HX-Refresh": "true"})
    if request.GET.get("version") == measurement_version(measurement):
        return HttpResponse(status=204)
    return render(request, "instances/_measurement.html", _page(found))


@require_safe
def measured(request: MemberRequest, design_id: int) -> JsonResponse:
    """The strip of scores of what was measured so far."""
    found = design_or_404(organization=request.organization, design_id=design_id)
    measurement = measurement_of(found)
    if measurement is None:
        return JsonResponse(empty_figure("Nothing was measured yet."))
    return JsonResponse(_strip(found, measured_of(found, measurement.measured)))


def _strip(found: Design, played: Measured) -> PlotlyFigure:
    names = {row.slug: row.title for row in played.rows}
    return measured_figure(played.columns, names, played.scores, score_format(found.environment))
