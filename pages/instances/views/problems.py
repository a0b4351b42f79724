"""Instances: the list, one instance with its runs, and previews, which are generated in memory and never stored."""

from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

import environments.base
from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest, typed
from environments.generation import CUSTOM, GENERATORS
from environments.registry import ENVIRONMENTS, is_final
from games.registry import parts_of
from infrastructure.figures.theme import empty_figure
from pages.dashboard.views.run_lists import runs_context
from pages.instances import selectors
from pages.instances.forms import SETTING, ProblemForm, as_row
from runs.models import Instance, Run
from runs.models.instances import IS_SEALED
from runs.proofs.services import proof_search_again
from runs.proofs.words import proof_of, proof_sentence
from runs.selectors.cells import environment_title

LONG = 20
"""Tables with more rows than this are closed when the page opens."""
NOT_DRAWN = "The instance cannot be drawn. The form says why."


@require_safe
def instances(request: MemberRequest) -> HttpResponse:
    """The organization's instances, newest first, and a form that previews any other instance."""
    filters = {key: typed(request.GET, key) for key in ("text", "environment", "difficulty", "generator")}
    sort = typed(request.GET, "sort")
    listing = selectors.instance_list(
        organization=request.organization,
        filters=selectors.InstanceFilter(**filters),
        sort=sort or "-number",
        number=request.GET.get("page"),
    )
    context = {
        "page": listing.page,
        "total": listing.total,
        "filters": filters | {"sort": sort},
        "sort": sort or "-number",
        "environments": titles(),
        "difficulties": selectors.difficulties_of(organization=request.organization),
        "generators": GENERATORS.items(),
        "is_sealed": IS_SEALED,
    }
    return render(request, "pages/instances/instances.html", context)


@require_safe
def instance_detail(request: MemberRequest, instance_id: int) -> HttpResponse:
    """One instance with every run on it."""
    instance = selectors.instance_or_404(organization=request.organization, instance_id=instance_id)
    if instance.is_sealed:
        return render(request, "pages/instances/sealed.html", {"sentence": IS_SEALED})
    context = problem_context(instance) | {"design": selectors.design_of(instance)}
    if not is_final(instance.environment, instance.reference) and (proof := proof_of(instance)):
        context |= {"proof": proof, "proof_sentence": proof_sentence(proof)}
    context |= runs_context(request, Run.objects.filter(instance=instance), "-score")
    return render(request, "pages/instances/instance.html", context)


@editor_required
@require_POST
def instance_prove(request: MemberRequest, instance_id: int) -> HttpResponse:
    """Have a worker search again for the proof of an optimum, after earlier searches were given up."""
    instance = selectors.instance_or_404(organization=request.organization, instance_id=instance_id)
    if not proof_search_again(instance=instance):
        messages.error(request, "Its proof was not given up.")
    return redirect("instances:instance", instance.pk)


@require_safe
def instance_figure(request: MemberRequest, instance_id: int) -> JsonResponse:
    return JsonResponse(figure_of(_unsealed_instance(request, instance_id).as_problem()))


@require_safe
def instance_file(request: MemberRequest, instance_id: int) -> HttpResponse:
    return _file(_unsealed_instance(request, instance_id).as_problem())


@require_safe
def preview(request: MemberRequest) -> HttpResponse:
    """A preview of any public instance. Nothing is stored, so a costly optimum is not computed."""
    form = ProblemForm(request.GET, organization=request.organization)
    problem = form.problem()
    context = {"form": form} | (problem_context(as_row(problem)) if problem is not None else {})
    return render(request, "pages/instances/preview.html", context)


@require_safe
def preview_figure(request: MemberRequest) -> JsonResponse:
    problem = ProblemForm(request.GET, organization=request.organization).problem()
    return JsonResponse(empty_figure(NOT_DRAWN) if problem is None else figure_of(problem))


@require_safe
def preview_file(request: MemberRequest) -> HttpResponse:
    form = ProblemForm(request.GET, organization=request.organization)
    if (problem := form.problem()) is None:
        sentences = {field.removeprefix(SETTING): " ".join(map(str, errors)) for field, errors in form.errors.items()}
        return JsonResponse({"errors": sentences}, status=422)
    return _file(problem)


def titles() -> list[tuple[str, str]]:
    """(name, title) of all environments."""
    return [(name, environment.title) for name, environment in ENVIRONMENTS.items()]


def problem_context(row: Instance) -> dict[str, Any]:
    """The context of a page about a problem. Heat maps of tables are left out if the figure shows them.

    in_designer: query string of the designer
    in_launch: query string of the launch form; empty for CUSTOM, whose settings it cannot contain
    """
    parts = parts_of(row.environment)
    presenter, has_figure = parts.presenter, parts.instance_figure is not None
    parameters = {"environment": row.environment, "seed": row.seed, "generator": row.generator}
    learns = presenter.learns(row)
    # The page reserves the height of the figure, so that the layout does not move when it is drawn.
    size = figure_of(row.as_problem())["layout"]["meta"] if has_figure else {}
    launched = {"environment": row.environment, "difficulty": row.difficulty, "seeds": row.seed}
    return {
        "instance": row,
        "title": f"{environment_title(row.environment)} {row.difficulty}, {row.numbered}",
        "generator": GENERATORS.get(row.generator, row.generator),
        "setting_texts": selectors.setting_texts(row.environment, row.settings),
        "learns": learns,
        "truth": [section for section in presenter.truth(row) if not (has_figure and section.heat)],
        "optimum": presenter.optimum(row),
        "has_figure": has_figure,
        "heights": (size["height"], size["narrow"]["height"]) if size else (),
        "figure_title": presenter.instance_title,
        "learns_is_long": any(section.table and len(section.table.rows) > LONG for section in learns),
        "in_designer": urlencode(parameters | {f"{SETTING}{name}": value for name, value in row.settings.items()}),
        "in_launch": "" if row.difficulty == CUSTOM else urlencode(launched),
    }


@lru_cache(maxsize=8)
def figure_of(problem: environments.base.Instance) -> dict[str, Any]:
    """The figure of a problem, cached: the page needs its height, and the browser requests it a moment later."""
    draw = parts_of(problem.environment).instance_figure
    return draw(problem) if draw else empty_figure("This environment has no figure of its instances.")


def _unsealed_instance(request: MemberRequest, instance_id: int) -> Instance:
    """The instance. Raises PermissionDenied if it is sealed."""
    instance = selectors.instance_or_404(organization=request.organization, instance_id=instance_id)
    if instance.is_sealed:
        raise PermissionDenied(IS_SEALED)
    return instance


def _file(problem: environments.base.Instance) -> HttpResponse:
    name = f"{problem.environment}-{problem.difficulty}-{problem.seed}.json".lower().replace("+", "-")
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return JsonResponse(problem.as_json(), json_dumps_params={"indent": 1}, headers=headers)
