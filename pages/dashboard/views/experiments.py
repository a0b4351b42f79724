"""Pages of experiments: the list, one experiment and its actions."""

from functools import partial
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import Http404, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.guards import editor_required
from accounts.pages.downloads import text_download
from accounts.pages.requests import MemberRequest, report_deleted, typed, whole
from environments.registry import LITMUS_TESTS
from pages.dashboard.forms.pace import PaceForm
from pages.dashboard.selectors.experiment_tables import compared_scores, late_blocks, matrix
from pages.dashboard.selectors.experiments import comparisons, experiment_page, experiments_of
from pages.dashboard.selectors.score_tables import score_table
from pages.dashboard.views.actions import done, live, of_experiment, refused, saved
from pages.dashboard.views.run_lists import report_action, runs_context
from runs.launching.again import request_as_curl, spec_as_command, spec_as_request
from runs.launching.request import written_launch
from runs.models import Experiment, PauseCause, Period, Priority, Run, RunState
from runs.models.runs import ACTIVE
from runs.models.states import StateGroup
from runs.proofs.words import next_words, unproven
from runs.selectors import wait_reasons
from runs.selectors.cells import progress_of_groups, run_cells, run_groups
from runs.selectors.health import health_of
from runs.selectors.progress import progress_of
from runs.services.budgets import experiment_set_budget
from runs.services.control import runs_control
from runs.services.deletions import experiment_delete
from runs.services.experiments import experiment_rename, experiment_set_pace
from runs.stages.page import staged_panel
from workspace.discussion.selectors.comments import Annotations
from workspace.discussion.selectors.tags import offered_tags, tags_of
from workspace.discussion.subjects import Subject
from workspace.spending.views import take_budget

WIDE_SCORES = 4
"""With more columns of means than this, the charts are below the matrix instead of beside it."""

MATRIX_AT_ONCE = 1_000
"""With more runs than this, each block of the matrix is loaded when it becomes visible."""

STOP_POLLING = 286
"""The status that makes htmx show the answer and stop polling."""

LISTED_AT_ONCE = 500
"""With more runs than this, the list of runs is loaded when it becomes visible."""


def experiments(request: MemberRequest) -> HttpResponse:
    filters = {key: typed(request.GET, key) for key in ("text", "state", "sort")}
    sort, tag = filters["sort"] or "-created", whole(request.GET.get("tag"), 0) or None
    options: dict[str, Any] = filters | {"sort": sort, "tag": tag, "page": request.GET.get("page", 1)}
    page = experiment_page(organization=request.organization, **options)
    offered = offered_tags(request.organization)
    filtered = bool(filters["text"] or filters["state"] or tag)
    return render(
        request,
        "pages/dashboard/experiments.html",
        {
            "page": page,
            "total": experiments_of(organization=request.organization).count() if filtered else page.paginator.count,
            "filters": filters,
            "sort": sort,
            "states": StateGroup.choices,
            "tags": offered,
            "tag_is_gone": tag is not None and all(item.pk != tag for item in offered),
            "tag": tag,
            "filtered": filtered,
        },
    )


@of_experiment
def experiment_detail(request: MemberRequest, experiment: Experiment) -> HttpResponse:
    if request.htmx:
        # Filters, pages and polling replace the list alone. The progress is read before the rows: otherwise polling could
        # stop while the list shows rows from before the end.
        return render(
            request,
            "pages/dashboard/_experiment_runs.html",
            {"progress": progress_of([experiment.pk])[experiment.pk]} | _listed(request, experiment),
        )
    subject = Subject(experiment)
    context = _live(experiment)
    if request.GET or context["progress"].total <= LISTED_AT_ONCE:
        context |= _listed(request, experiment)
    context["has_litmus"] = not set(LITMUS_TESTS).isdisjoint(experiment.spec.get("environments", ()))
    context["pace_form"] = PaceForm(
        initial={"priority": Priority(experiment.priority).word, "runs_at_once": experiment.runs_at_once}
    )
    context["annotations"] = Annotations(subject, tags_of(subject))
    if _is_repeatable(experiment):
        launched = (experiment.spec, experiment.name, experiment.budget_nano)
        address = request.build_absolute_uri(reverse("api-v1:launch_experiment"))
        call = request_as_curl(spec_as_request(*launched), address, f"again-{experiment.pk}")
        context["again"] = {"command": spec_as_command(*launched), "file": written_launch(*launched), "call": call}
    return render(request, "pages/dashboard/experiment.html", context)


def _listed(request: MemberRequest, experiment: Experiment) -> dict[str, Any]:
    return runs_context(request, Run.objects.filter(experiment=experiment), "instance")


def _is_repeatable(experiment: Experiment) -> bool:
    spec = experiment.spec
    return not spec.get("imported") and {"environments", "difficulties", "seeds", "agents"} <= set(spec)


@require_safe
@of_experiment
def launch_file(request: MemberRequest, experiment: Experiment) -> HttpResponseBase:
    """The launch as a YAML file."""
    if not _is_repeatable(experiment):
        raise Http404("This experiment was imported.")
    return text_download(
        request,
        f"launch-{experiment.pk}.yaml",
        "application/yaml",
        [written_launch(experiment.spec, experiment.name, experiment.budget_nano)],
    )


@of_experiment
def experiment_live(request: MemberRequest, experiment: Experiment) -> HttpResponse:
    """The live parts of the page; 204 if nothing changed since `version`."""
    return live(request, "pages/dashboard/_experiment_live.html", _live(experiment))


@require_safe
@of_experiment
def experiment_matrix(request: MemberRequest, experiment: Experiment, environment: str) -> HttpResponse:
    """The block of one environment in a large matrix, as a page fragment."""
    cells = run_cells(experiment, Q(instance__environment=environment))
    if not cells:
        raise Http404("This experiment has no runs of that environment.")
    status = 200 if any(cell.state in ACTIVE for cell in cells) else STOP_POLLING
    return render(request, "pages/dashboard/_matrix_blocks.html", {"blocks": matrix(cells)}, status=status)


@require_safe
def run_qualities(request: MemberRequest, run_id: int) -> HttpResponse:
    """The quality of each period of a run, for the sparkline of its matrix cell."""
    run = get_object_or_404(Run.objects.only("periods"), organization=request.organization, pk=run_id)
    qualities = Period.objects.filter(run=run).order_by("index").values_list("quality", flat=True)
    return JsonResponse({"periods": run.periods, "quality": list(qualities)})


def _live(experiment: Experiment) -> dict[str, Any]:
    groups = run_groups(experiment)
    progress = progress_of_groups(groups)
    is_large = progress.total > MATRIX_AT_ONCE
    cells = run_cells(experiment, Q(state__in=ACTIVE)) if is_large else run_cells(experiment)
    paused = [group for group in groups if group.state == RunState.PAUSED]
    health = health_of(cells, Run.objects.filter(experiment=experiment))
    counts = ".".join(f"{k}{n}" for k, n in sorted(progress.counts.items()))
    money = f"{experiment.cost_nano}.{experiment.reserved_nano}.{experiment.budget_nano}.{experiment.alerted_percent}"
    staged = staged_panel(experiment)
    version = f"{experiment.pace}.{progress.periods_played}.{money}.{counts}.{health.version}"
    lacks_scores = any(group.state == RunState.FINISHED and len(group.scores) < group.runs for group in groups)
    blocks, scores = [] if is_large else matrix(cells), score_table(groups)
    return {
        "experiment": experiment,
        "progress": progress,
        "blocks": blocks,
        "late_blocks": late_blocks(groups) if is_large else [],
        "scores": scores,
        "is_wide": is_large or any(block.is_wide for block in blocks) or len(scores.difficulties) > WIDE_SCORES,
        "charts": compared_scores(groups),
        "agents": len({group.agent_id for group in groups}),
        "reasons": wait_reasons.reasons(experiment),
        # The pace of outside players is not known.
        "seconds_left": None if experiment.is_of_episodes else wait_reasons.seconds_left(cells, experiment),
        "health": health,
        "budget_paused": sum(group.runs for group in paused if group.pause_cause == PauseCause.BUDGET),
        "resumable": sum(group.runs for group in paused if group.pause_cause != PauseCause.STAGE),
        "staged": staged,
        # Between two stages no run is active, but the page must keep polling.
        "is_live": progress.active or (staged is not None and staged.is_due),
        "comparisons": comparisons(experiment, progress),
        "unproven": [(proof, next_words(proof)) for proof in unproven(experiment)] if lacks_scores else [],
        "version": version + (staged.version if staged else ""),
    }


@editor_required
@require_POST
@of_experiment
def experiment_act(request: MemberRequest, experiment: Experiment, action: str) -> HttpResponse:
    report_action(request, action, runs_control(runs=experiment.runs.all(), action=action, user=request.user))
    return redirect("dashboard:experiment", experiment.pk)


@editor_required
@require_POST
@of_experiment
def rename(request: MemberRequest, experiment: Experiment) -> HttpResponse:
    try:
        experiment_rename(experiment=experiment, name=typed(request.POST, "name"))
    except ValidationError as error:
        return refused(request, error, "dashboard:experiment", experiment.pk)
    return redirect("dashboard:experiment", experiment.pk)


@editor_required
@require_POST
@of_experiment
def set_budget(request: MemberRequest, experiment: Experiment) -> HttpResponse:
    return take_budget(
        request,
        "The budget of this experiment",
        partial(experiment_set_budget, experiment=experiment),
        "dashboard:experiment",
        experiment.pk,
    )


@editor_required
@require_POST
@of_experiment
def set_pace(request: MemberRequest, experiment: Experiment) -> HttpResponse:
    form = PaceForm(request.POST)
    if saved(form, experiment_set_pace, experiment=experiment):
        return done(request, f"{experiment.pace} from now on.", "dashboard:experiment", experiment.pk)
    return refused(request, str(next(iter(form.errors.values()))[0]), "dashboard:experiment", experiment.pk)


@editor_required
@require_POST
@of_experiment
def delete(request: MemberRequest, experiment: Experiment) -> HttpResponse:
    experiment_delete(experiment=experiment, actor=request.user)
    report_deleted(request, f"Deleted {experiment.name} with all its runs.", "experiment", experiment)
    return redirect("dashboard:experiments")
