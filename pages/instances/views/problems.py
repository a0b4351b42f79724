"""Instances: the list, one instance with its runs, and previews, which are generated in memory and never stored."""

from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

import environments.base
from accounts.guards import editor_required
from accounts.pages.requests import MemberRequest, typed
from environments.generation import CUSTOM, GENERATORS
from environments.registry import ENVIRONMENTS, GENERATION, is_final
from games.registry import parts_of
from infrastructure.figures.theme import empty_figure
from pages.dashboard.views.actions import json_file, refused, with_row
from pages.dashboard.views.run_lists import runs_context
from pages.instances import selectors
from pages.instances.forms import SETTING, ProblemForm, as_row
from runs.models import Instance, Run
from runs.models.instances import IS_SEALED
from runs.proofs.services import proof_search_again
from runs.proofs.words import proof_of, proof_sentence
from runs.selectors.cells import environment_name, game_title

LONG = 20
"""Tables with more rows than this are closed when the page opens."""
NOT_DRAWN = "The instance cannot be drawn. The form says why."

of_instance = with_row("instance", selectors.instance_or_404)


@require_safe
def instances(request: MemberRequest) -> HttpResponse:
    """The organization's instances, newest first, and a form that previews any other instance."""
    filters = {key: typed(request.GET, key) for key in selectors.FILTERS}
    sort = typed(request.GET, "sort")
    options: dict[str, Any] = {"filters": filters, "sort": sort or "-number", "page": request.GET.get("page")}
    page, total = selectors.instance_list(organization=request.organization, **options)
    drawn = {row["drawn"] for row in page.object_list}
    context = {
        "page": page,
        "total": total,
        "filters": filters | {"sort": sort},
        "sort": sort or "-number",
        "environments": titles(),
        "difficulties": selectors.difficulties_of(organization=request.organization),
        "generators": GENERATORS.items(),
        "is_sealed": IS_SEALED,
        "same_generator": drawn.pop() if len(drawn) == 1 and len(page.object_list) > 1 else "",
    }
    return render(request, "pages/instances/instances.html", context)


@require_safe
@of_instance
def instance_detail(request: MemberRequest, instance: Instance) -> HttpResponse:
    """One instance with every run on it."""
    if instance.is_sealed:
        return render(request, "pages/instances/sealed.html", {"sentence": IS_SEALED})
    context = problem_context(instance) | {"design": selectors.design_of(instance)}
    if not is_final(instance.environment, instance.reference) and (proof := proof_of(instance)):
        context |= {"proof": proof, "proof_sentence": proof_sentence(proof)}
    context |= runs_context(request, Run.objects.filter(instance=instance), "-score")
    return render(request, "pages/instances/instance.html", context)


@editor_required
@require_POST
@of_instance
def instance_prove(request: MemberRequest, instance: Instance) -> HttpResponse:
    """Have a worker search again for the proof of an optimum, after earlier searches were given up."""
    if not proof_search_again(instance=instance):
        return refused(request, "Its proof was not given up.", "instances:instance", instance.pk)
    return redirect("instances:instance", instance.pk)


@require_safe
@of_instance
def instance_figure(request: MemberRequest, instance: Instance) -> JsonResponse:
    return JsonResponse(figure_of(_unsealed(instance).as_problem()))


@require_safe
@of_instance
def instance_file(request: MemberRequest, instance: Instance) -> HttpResponse:
    return _file(_unsealed(instance).as_problem())


@require_safe
def preview(request: MemberRequest) -> HttpResponse:
    """A preview of any public instance. Nothing is stored, so a costly optimum is not computed."""
    form = ProblemForm(request.GET, organization=request.organization)
    problem = form.problem()
    return render(
        request,
        "pages/instances/preview.html",
        {"form": form} | (problem_context(as_row(problem)) if problem is not None else {}),
    )


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
    """(name, short title) of all environments."""
    return [(name, environment_name(name)) for name in ENVIRONMENTS]


def problem_context(row: Instance) -> dict[str, Any]:
    """The context of a page about a problem. Heat maps of tables are left out if the figure shows them.

    in_designer: query string of the designer
    in_launch: query string of the launch form; empty for CUSTOM, whose settings it cannot contain
    """
    presenter, draw = parts_of(row.environment).presenter, parts_of(row.environment).instance_figure
    parameters = {"environment": row.environment, "seed": row.seed, "generator": row.generator}
    learns = presenter.learns(row)
    # The page reserves the height of the figure, so that the layout does not move when it is drawn.
    size = figure_of(row.as_problem())["layout"]["meta"] if draw else {}
    launched = {"environment": row.environment, "difficulty": row.difficulty, "seeds": row.seed}
    launched |= {"variants": row.variant} if row.variant != "main" else {}
    of_designer = {setting.name for setting in GENERATION[row.environment].settings}
    design = {f"{SETTING}{name}": value for name, value in row.settings.items() if name in of_designer}
    return {
        "instance": row,
        "title": f"{game_title(row.environment, row.difficulty)}, {row.numbered}",
        "generator": GENERATORS.get(row.generator, row.generator),
        "world": selectors.world_of(row.environment, row.settings),
        "setting_texts": selectors.setting_texts(row.environment, row.settings),
        "learns": learns,
        "truth": [section for section in presenter.truth(row) if not (draw and section.heat)],
        "optimum": presenter.optimum(row),
        "has_figure": draw is not None,
        "heights": (size["height"], size["narrow"]["height"]) if size else (),
        "figure_title": presenter.instance_title,
        "learns_is_long": any(section.table and len(section.table.rows) > LONG for section in learns),
        "in_designer": urlencode(parameters | design),
        "in_launch": "" if row.difficulty == CUSTOM else urlencode(launched),
    }


@lru_cache(maxsize=8)
def figure_of(problem: environments.base.Instance) -> dict[str, Any]:
    """The figure of a problem, cached: the page needs its height, and the browser requests it a moment later."""
    draw = parts_of(problem.environment).instance_figure
    return draw(problem) if draw else empty_figure("This environment has no figure of its instances.")


def _unsealed(instance: Instance) -> Instance:
    """The instance. Raises PermissionDenied if it is sealed."""
    if instance.is_sealed:
        raise PermissionDenied(IS_SEALED)
    return instance


def _file(problem: environments.base.Instance) -> HttpResponse:
    name = f"{problem.environment}-{problem.difficulty}-{problem.seed}.json".lower().replace("+", "-")
    return json_file(problem.as_json(), name, indent=1)
