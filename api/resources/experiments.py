from typing import Annotated, Any, Literal

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from ninja import Query

from api.auth import LAUNCH, MANAGE, ApiRequest
from api.protocol.errors import invalid
from api.protocol.operations import (
    EXPERIMENT,
    USUAL,
    Cursor,
    Id,
    IdempotencyKey,
    Limit,
    answers,
    once,
    page_of,
    resource,
)
from api.schemas import experiments as shapes
from api.schemas.base import Page
from api.schemas.experiments import Done, SeedsOut
from infrastructure.money import nano
from infrastructure.transactions import write_transaction
from pages.dashboard.selectors.experiments import experiments_of, with_progress
from runs.estimating.estimates import estimate
from runs.launching.request import LaunchIn, request_as_plan
from runs.models import Experiment, Priority
from runs.selectors.cells import run_cells
from runs.selectors.experiments import experiment_or_404, recent_experiment_or_404
from runs.selectors.progress import progress_of
from runs.services import experiments as services
from runs.services.budgets import experiment_set_budget
from runs.services.control import runs_control
from runs.services.deletions import experiment_delete, experiment_undelete
from runs.stages.page import staged_panel
from runs.stages.planning import comparison_plan
from runs.stages.services import comparison_continue

router = resource("Experiments")
State = Literal["active", "paused", "failed", "done"]


def experiment_of(request: ApiRequest, experiment_id: int) -> Experiment:
    """The experiment of the caller's organization. Raises Http404."""
    return experiment_or_404(organization=request.auth.organization, experiment_id=experiment_id)


def _values(experiment: Experiment) -> dict[str, Any]:
    return shapes.ExperimentOut.values(experiment, progress_of([experiment.pk])[experiment.pk])


@router.get("/experiments", response=answers(Page[shapes.ExperimentOut], has_404=False), summary="List experiments")
def list_experiments(
    request: ApiRequest,
    text: Annotated[
        str, Query(max_length=200, description="Words that occur in the name or in the launched settings.")
    ] = "",
    state: Annotated[
        State | None, Query(description="`active`: experiments with a run that is queued, running or waiting.")
    ] = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Any:
    """List experiments, newest first."""
    rows = experiments_of(organization=request.auth.organization, text=text, state=state or "")
    return page_of(
        request,
        rows,
        limit,
        cursor,
        lambda row: shapes.ExperimentOut.values(row.experiment, row.progress),
        read=with_progress,
        newest=True,
    )


@router.post(
    "/experiments",
    auth=LAUNCH,
    response=answers(shapes.ExperimentOut, 201, has_404=False, body=True),
    summary="Launch an experiment",
)
def launch_experiment(request: ApiRequest, body: LaunchIn, idempotency_key: IdempotencyKey = None) -> HttpResponse:
    """Create the experiment and queue all its runs. Send an `Idempotency-Key`: if the answer is lost, the same request
    can be repeated without a second launch."""
    caller = request.auth
    return once(
        request,
        idempotency_key,
        shapes.ExperimentOut,
        lambda: services.launch_prepare(
            plan=request_as_plan(body, caller.organization), organization=caller.organization
        ),
        lambda prepared: _values(
            services.experiment_launch(
                organization=caller.organization,
                user=caller.user,
                plan=prepared.plan,
                name=body.name,
                budget_nano=nano(body.budget_usd),
                prepared=prepared,
            )
        ),
    )


@router.post("/estimate", response=answers(shapes.EstimateOut, has_404=False, body=True), summary="Estimate a launch")
def estimate_launch(request: ApiRequest, body: LaunchIn) -> Any:
    """Estimate the calls, tokens, dollars and seconds of a launch. Nothing is launched or stored."""
    organization = request.auth.organization
    return estimate(request_as_plan(body, organization), organization).as_json()


@router.get(EXPERIMENT, response=answers(shapes.ExperimentWithRuns), summary="Watch an experiment")
def get_experiment(request: ApiRequest, experiment_id: Id) -> Any:
    """The experiment's state, progress and cost, and a short row for every run. Poll every few seconds until `is_done`."""
    experiment = experiment_of(request, experiment_id)
    # The state is read before the runs, so that an experiment that is done shows no unfinished run.
    values = _values(experiment)
    panel = staged_panel(experiment)
    run_states = [shapes.RunGlance.from_row(cell) for cell in run_cells(experiment)]
    return values | {"run_states": run_states, "staged": panel and panel.as_json()}


@router.patch(
    EXPERIMENT,
    auth=LAUNCH,
    response=answers(shapes.ExperimentOut, body=True),
    summary="Rename an experiment, or change its budget or pace",
)
def change_experiment(request: ApiRequest, experiment_id: Id, body: shapes.ExperimentChange) -> Any:
    """Fields that are left out stay as they are; null removes a cap."""
    experiment = experiment_of(request, experiment_id)
    if not body.model_fields_set:
        raise invalid({"body": "Say what to change: name, budget_usd, priority or runs_at_once."})
    with write_transaction():
        if "name" in body.model_fields_set:
            services.experiment_rename(experiment=experiment, name=body.name)
        if "budget_usd" in body.model_fields_set:
            experiment_set_budget(experiment=experiment, budget_nano=nano(body.budget_usd))
        if body.model_fields_set & {"priority", "runs_at_once"}:
            pace = {"priority": Priority(experiment.priority).word, "runs_at_once": experiment.runs_at_once}
            services.experiment_set_pace(
                experiment=experiment, **pace | body.model_dump(include=set(pace), exclude_unset=True)
            )
    return _values(experiment)


@router.delete(EXPERIMENT, auth=MANAGE, response=answers(None, 204), summary="Delete an experiment")
def delete_experiment(request: ApiRequest, experiment_id: Id) -> HttpResponse:
    """Runs, notes and transcripts are deleted too. The month's spend keeps the cost. The deletion can be undone for a day."""
    experiment_delete(experiment=experiment_of(request, experiment_id), actor=request.auth.user)
    return HttpResponse(status=204)


@router.post(
    f"{EXPERIMENT}/undelete",
    auth=MANAGE,
    response=answers(shapes.ExperimentOut),
    summary="Undo the deletion of an experiment",
)
def undelete_experiment(request: ApiRequest, experiment_id: Id) -> Any:
    """Possible for a day after the deletion. Unfinished runs come back paused. Repeating the request changes nothing."""
    experiment = recent_experiment_or_404(organization=request.auth.organization, experiment_id=experiment_id)
    experiment_undelete(experiment=experiment, actor=request.auth.user)
    return _values(experiment)


@router.post(
    f"{EXPERIMENT}/{{action}}",
    auth=LAUNCH,
    response=answers(shapes.Done),
    summary="Pause, resume, cancel or retry all runs",
)
def act_on_experiment(request: ApiRequest, experiment_id: Id, action: shapes.RunAction) -> Any:
    """`pause` stops runs after their current model calls. `retry` queues runs that stalled or stopped because of errors.
    Repeating the request changes nothing."""
    runs = experiment_of(request, experiment_id).runs.all()
    return {"changed": runs_control(runs=runs, action=action, user=request.auth.actor)}


stages_router = resource("Experiments")


@stages_router.post(
    "/estimate/seeds", response=answers(SeedsOut, has_404=False, body=True), summary="Seeds that tell two agents apart"
)
def estimate_seeds(request: ApiRequest, body: LaunchIn) -> Any:
    """The number of seeds, and their price, that find a difference of `points` between the two `agents` with 80 % power at
    the 5 % level. It is computed from the spread measured so far. Nothing is launched or stored."""
    organization = request.auth.organization
    plan = comparison_plan(request_as_plan(body, organization), organization)
    if plan is None:
        raise invalid(
            {"agents": "Name two agents that both play all the environments, benchmarks only, and one prompt variant."}
        )
    return vars(plan)


@stages_router.post(
    f"{EXPERIMENT}/stages/continue",
    auth=LAUNCH,
    response=answers(Done, body=True),
    summary="Play all stages without looks",
)
def continue_stages(request: ApiRequest, experiment_id: Id) -> Any:
    """Queue the runs of all later stages. The experiment no longer stops early."""
    experiment = experiment_of(request, experiment_id)
    try:
        return {"changed": comparison_continue(experiment=experiment, user=request.auth.actor)}
    except ValidationError as error:
        raise invalid({"experiment": error.messages[0]}) from None
