"""Designs: the list, the designer with its live preview, one design with its measured difficulty."""

from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest, typed
from analysis.base.benchmark_filters import DIFFICULTIES, TableFilter
from analysis.base.filters import LeaderboardFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.figures.measured import measured_figure
from environments.registry import BENCHMARKS, GENERATION, score_format
from infrastructure.figures.theme import PlotlyFigure, empty_figure
from infrastructure.paging import LIST_PAGE, paged
from pages.dashboard.views.actions import done, json_file, refused, with_row
from pages.instances.forms import DesignForm, as_row, typed_settings
from pages.instances.measuring import SEEDS, MeasuredTable, measured_table, refusal
from pages.instances.selectors import design_list, measurement_of, measurement_version, setting_texts, waiting_reason
from pages.instances.services import measurement_cancel, measurement_start
from pages.instances.views.problems import problem_context, titles
from runs.launching.plan import format_seeds
from runs.models import Design
from runs.models.instances import MOST_NAME
from runs.selectors.designs import design_or_404, is_used, runs_of
from runs.services.designs import FROZEN, design_archive, design_change, design_create, design_delete

COPY = " (copy)"
PREVIEWS = 6
"""Number of seeds with a link on the page of a design."""

of_design = with_row("design", design_or_404)


@require_safe
def designs(request: MemberRequest) -> HttpResponse:
    filters = {key: typed(request.GET, key) for key in ("text", "environment", "which")}
    page = paged(
        design_list(organization=request.organization, **filters),
        LIST_PAGE,
        request.GET.get("page"),
        lambda row: (row, setting_texts(row.environment, row.settings)),
    )
    return render(request, "pages/instances/designs.html", {"page": page, "filters": filters, "environments": titles()})


@editor_required
@require_http_methods(["GET", "POST"])
def new(request: MemberRequest) -> HttpResponse:
    """The designer, filled in with the settings of the query string or of the design `from`."""
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
@of_design
def edit(request: MemberRequest, design: Design) -> HttpResponse:
    """The designer of a design that no run uses yet."""
    if request.method == "GET" and is_used(design):
        return refused(request, FROZEN, "instances:design", design.pk)
    data = (request.POST if request.method == "POST" else request.GET).dict() | {"environment": design.environment}
    form = DesignForm(data, organization=request.organization, design=design)
    return _save(request, form) if request.method == "POST" else _designer(request, form)


@editor_required
@require_safe
def design_preview(request: MemberRequest) -> HttpResponse:
    """Facts and figure for the typed settings, with errors at the fields."""
    return render(
        request,
        "pages/instances/_design_preview.html",
        _preview_context(DesignForm(request.GET, organization=request.organization)) | {"refresh": True},
    )


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
            return done(request, f"Saved the design “{design.name}”.", "instances:design", design.pk)
    return _designer(request, form, status=422)


def _designer(request: MemberRequest, form: DesignForm, status: int = 200) -> HttpResponse:
    context = _preview_context(form) | {"environments": titles(), "design": form.design}
    return render(request, "pages/instances/designer.html", context, status=status)


def _preview_context(form: DesignForm) -> dict[str, Any]:
    """The preview of the form. An empty name is no error until the form is sent."""
    problem = form.previewed_problem()
    if problem is None:
        return {"form": form}
    more = {"form": form, "query": form.query, "refusal": refusal(problem.environment, problem.settings)}
    return problem_context(as_row(problem)) | more


@require_safe
@of_design
def design_detail(request: MemberRequest, design: Design) -> HttpResponse:
    generation = GENERATION[design.environment]
    parameters = {"environment": design.environment, "difficulty": design.difficulty}
    values, defaults = generation.filled(design.settings), generation.first
    easiest = next(iter(generation.difficulties))
    context = {
        "runs": runs_of(design).count(),
        "rows": [
            (setting.label, f"{value:,.12g}", "" if value == default else f"{default:,.12g} on {easiest}")
            for setting in generation.settings
            for value, default in [(values[setting.name], defaults[setting.name])]
        ],
        "previews": [(seed, urlencode(parameters | {"seed": seed})) for seed in range(PREVIEWS)],
        "query": urlencode(parameters),
        "leaderboard": _leaderboard(design),
    }
    return render(request, "pages/instances/design.html", _page(design) | context)


def _leaderboard(design: Design) -> str:
    """The address of the leaderboard with a column of the design, or of the litmus table for a litmus test."""
    run_filter: LeaderboardFilter = LitmusFilter(scope=design.difficulty)
    if design.environment in BENCHMARKS:
        run_filter = TableFilter(environments=(design.environment,), difficulties=(*DIFFICULTIES, design.difficulty))
    return f"{reverse(run_filter.PAGE)}?{run_filter.query()}"


def _page(design: Design) -> dict[str, Any]:
    measurement = measurement_of(design)
    context: dict[str, Any] = {
        "design": design,
        "measurement": measurement,
        "refusal": refusal(design.environment, design.ordered_settings),
        "seeds": format_seeds(SEEDS),
    }
    if measurement is None:
        return context
    table = measured_table(design, measurement.measured)
    size = _strip(design, table)["layout"]["meta"]
    return context | {
        "waiting": waiting_reason(measurement),
        "version": measurement_version(measurement),
        "measured": table,
        "heights": (size["height"], size["narrow"].get("height", size["height"])) if "narrow" in size else (200, 200),
    }


@require_safe
@of_design
def design_file(request: MemberRequest, design: Design) -> HttpResponse:
    plain = {field: getattr(design, field) for field in ("environment", "difficulty", "name")}
    plain["settings"] = design.ordered_settings
    return json_file(plain, f"{design.environment}-{design.difficulty}.json".lower().replace("+", "-"), indent=1)


@editor_required
@require_POST
@of_design
def archive(request: MemberRequest, design: Design) -> HttpResponse:
    """Archive the design, or make it available to launches again."""
    archived = request.POST.get("archived") == "1"
    design_archive(design=design, archived=archived)
    sentence = "Archived; launches no longer offer it." if archived else "Launches offer the design again."
    return done(request, sentence, "instances:design", design.pk)


@editor_required
@require_POST
@of_design
def delete(request: MemberRequest, design: Design) -> HttpResponse:
    try:
        design_delete(design=design)
    except ValidationError as error:
        return refused(request, error, "instances:design", design.pk)
    return done(request, f"Deleted the design “{design.name}”.", "instances:designs")


@editor_required
@require_POST
@of_design
def measure(request: MemberRequest, design: Design) -> HttpResponse:
    try:
        measurement_start(design=design, user=request.user)
    except ValidationError as error:
        return refused(request, error, "instances:design", design.pk)
    return redirect("instances:design", design.pk)


@editor_required
@require_POST
@of_design
def measure_cancel(request: MemberRequest, design: Design) -> HttpResponse:
    if not measurement_cancel(design=design):
        return refused(request, "It had ended already.", "instances:design", design.pk)
    return redirect("instances:design", design.pk)


@require_safe
@of_design
def measure_live(request: MemberRequest, design: Design) -> HttpResponse:
    """The progress; 204 if nothing changed since the given version. At the end, the page is reloaded."""
    measurement = measurement_of(design)
    if measurement is None or not measurement.is_working:
        return HttpResponse(headers={"HX-Refresh": "true"})
    if request.GET.get("version") == measurement_version(measurement):
        return HttpResponse(status=204)
    return render(request, "pages/instances/_measurement.html", _page(design))


@require_safe
@of_design
def measured(request: MemberRequest, design: Design) -> JsonResponse:
    """The strip plot of the scores measured so far, as JSON."""
    measurement = measurement_of(design)
    if measurement is None:
        return JsonResponse(empty_figure("Nothing was measured yet."))
    return JsonResponse(_strip(design, measured_table(design, measurement.measured)))


def _strip(design: Design, table: MeasuredTable) -> PlotlyFigure:
    names = {row.slug: row.title for row in table.rows}
    return measured_figure(table.columns, names, table.scores, score_format(design.environment))
