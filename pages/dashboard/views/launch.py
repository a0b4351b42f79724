"""Pages of a launch: the form, its live preview, and the launch itself."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.guards import editor_required
from accounts.models import User
from accounts.pages.requests import MemberRequest, typed, whole
from environments.prompts.variants import texts_slug
from environments.registry import GENERATION
from infrastructure.money import nano
from pages.dashboard.forms.launch import DEFAULTS, LaunchForm, initial_from_spec
from pages.dashboard.selectors.agents import baseline_slugs
from pages.dashboard.views.actions import done
from runs.estimating.estimates import estimate
from runs.launching import again, presets, prices
from runs.launching.fields import FIELDS
from runs.launching.plan import LaunchError
from runs.launching.request import MOST_BYTES, read_launch, request_as_plan, request_as_spec, written_launch
from runs.selectors.designs import design_or_404
from runs.selectors.experiments import experiment_or_404, last_launch
from runs.services.experiments import experiment_launch
from runs.stages.planning import comparison_plan, stage_runs

DRAFT = "launch_draft"


@editor_required
@require_http_methods(["GET", "POST"])
def launch(request: MemberRequest) -> HttpResponse:
    if request.method == "GET":
        draft = _draft(request)
        if draft and "draft" in request.GET:
            return _show(request, LaunchForm(QueryDict(draft), organization=request.organization))
        form = LaunchForm(organization=request.organization, initial=_initial(request))
        return _show(request, form, has_draft=bool(draft))
    form = _form(request, request.POST)
    if form.is_valid():
        try:
            experiment = experiment_launch(
                organization=request.organization,
                user=request.user,
                plan=form.plan(),
                name=form.cleaned_data["name"],
                budget_nano=form.budget_nano(),
            )
        except LaunchError as error:
            form.take_errors(error)
        else:
            request.session.pop(DRAFT, None)
            return done(
                request, "Launched. This page updates while the runs are played.", "dashboard:experiment", experiment.pk
            )
    return _show(request, form, status=422)


@editor_required
@require_POST
def fill(request: MemberRequest) -> HttpResponse:
    """The form with the values of a preset or of a planned comparison, if a button names them. Nothing is launched."""
    preset = presets.BY_SLUG.get(request.POST.get("preset", ""))
    form = _form(request, _with_values(request.POST, preset.values if preset else _suggested(request)))
    return _show(request, form, preset=preset.slug if preset else "", partial=bool(request.htmx))


@editor_required
@require_POST
def discard(request: MemberRequest) -> HttpResponse:
    """Forget the launch that was left unfinished."""
    request.session.pop(DRAFT, None)
    return redirect("dashboard:launch")


@editor_required
@require_POST
def from_file(request: MemberRequest) -> HttpResponse:
    """The form, filled in from a YAML file. Nothing is launched."""
    initial, errors = _initial(request), ["Choose a file."]
    if file := request.FILES.get("file"):
        try:
            body = read_launch(file.read(MOST_BYTES + 1))
            request_as_plan(body, request.organization)
        except LaunchError as error:
            errors = list(error.errors.values())
        else:
            filled = initial_from_spec(request_as_spec(body), body.name, nano(body.budget_usd))
            initial, errors = dict(DEFAULTS) | filled, []
            messages.success(request, "Filled in from the file. Nothing is launched yet.")
    return _show(
        request,
        LaunchForm(organization=request.organization, initial=initial),
        file_errors=errors,
        status=422 if errors else 200,
    )


def _with_values(data: QueryDict, values: Mapping[str, Any]) -> QueryDict:
    """The typed data with some values replaced, for example by a preset."""
    merged = data.copy()
    for key, value in values.items():
        merged.setlist(key, list(value) if isinstance(value, tuple | list) else [value])
    return merged


def _suggested(request: MemberRequest) -> dict[str, str]:
    """The seeds or stages that a button of the planned comparison fills in. New seeds also change the stages."""
    if seeds := typed(request.POST, "use_seeds"):
        return {"seeds": seeds, "stages": ""}
    return {"stages": stages} if (stages := typed(request.POST, "use_stages")) else {}


@editor_required
@require_POST
def preview(request: MemberRequest) -> HttpResponse:
    """The estimate for the current form, and errors beside the fields."""
    form = _form(request, request.POST)
    return render(
        request, "pages/dashboard/_launch_preview.html", _preview(form, request.user) | {"form": form, "refresh": True}
    )


def _form(request: MemberRequest, data: QueryDict) -> LaunchForm:
    """The form with this data. The data is also kept in the session, so that the form can be continued later."""
    kept = data.copy()
    kept.pop("csrfmiddlewaretoken", None)
    request.session[DRAFT] = {"organization": request.organization.pk, "form": kept.urlencode()}
    return LaunchForm(data, organization=request.organization)


def _draft(request: MemberRequest) -> str:
    """The form left unfinished in this organization, as a query string; empty if there is none."""
    kept = request.session.get(DRAFT, {})
    return str(kept["form"]) if kept.get("organization") == request.organization.pk else ""


def _initial(request: MemberRequest) -> dict[str, Any]:
    initial = dict(DEFAULTS)
    if preset := presets.BY_SLUG.get(request.GET.get("preset", "quick")):
        initial |= {key: list(value) if isinstance(value, tuple) else value for key, value in preset.values.items()}
    if source := whole(request.GET.get("from"), 0):
        before = experiment_or_404(organization=request.organization, experiment_id=source)
        initial |= initial_from_spec(before.spec, f"{before.name} (again)"[:200], before.budget_nano)
    if environments := [name for name in request.GET.getlist("environment") if name in GENERATION]:
        first = dict.fromkeys(next(iter(GENERATION[name].difficulties)) for name in environments)
        initial |= {"environments": environments, "difficulties": list(first)}
    lists = {"difficulty": "difficulties", "variant": "variants", "agent": "agents"}
    initial |= {field: request.GET.getlist(name) for name, field in lists.items() if name in request.GET}
    if number := whole(request.GET.get("design"), 0):
        design = design_or_404(organization=request.organization, design_id=number)
        initial |= {"environments": [design.environment], "difficulties": [design.difficulty]}
    if "seeds" in request.GET:
        initial |= {"seeds": typed(request.GET, "seeds"), "stages": typed(request.GET, "stages")}
    initial |= {name: typed(request.GET, name) for name in FIELDS if name in request.GET}
    if "agent" not in request.GET and any(map(texts_slug, request.GET.getlist("variant"))):
        initial["agents"] = []  # baselines read no prompt
    elif "agents" not in initial:
        initial["agents"] = baseline_slugs(organization=request.organization)
    return initial


def _show(
    request: MemberRequest, form: LaunchForm, *, preset: str = "", partial: bool = False, status: int = 200, **more: Any
) -> HttpResponse:
    """more: `file_errors`, sentences about a file; `has_draft`, whether another form was left unfinished"""
    shown = "quick" if request.method == "GET" and not request.GET else request.GET.get("preset", "")
    context = {"form": form, "presets": presets.PRESETS, "preset": preset or shown} | more
    if not partial:
        context["last"] = last_launch(organization=request.organization, user=request.user)
    if not form.is_bound or status == 200:
        context |= _preview(form if form.is_bound else form.bound_to_initial(), request.user)
    template = "pages/dashboard/_launch_form.html" if partial else "pages/dashboard/launch.html"
    return render(request, template, context, status=status)


def _preview(form: LaunchForm, user: User) -> dict[str, Any]:
    if not form.is_valid():
        return {"estimate": None}
    try:
        plan = form.plan()
        launch_estimate = estimate(plan, form.organization)
    except LaunchError as error:
        form.take_errors(error)
        return {"estimate": None}
    budget = form.budget_nano()
    cost = launch_estimate.cost_nano if budget is not None else None
    over = cost is not None and cost.expected > (budget or 0)
    launched = plan.as_spec(), form.cleaned_data["name"], budget
    return {
        "estimate": launch_estimate,
        "unpriced_error": prices.unpriced_error(
            unpriced=launch_estimate.unpriced,
            organization=form.organization,
            user=user,
            budgets=(budget, plan.run_budget_nano),
        ),
        "command": again.plan_as_command(plan, *launched[1:]),
        "file": written_launch(*launched),
        "over_budget": over,
        "may_be_over_budget": cost is not None and not over and cost.high > (budget or 0),
        "comparison": comparison_plan(plan, form.organization),
        "stage_runs": stage_runs(plan),
    }
