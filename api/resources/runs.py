from typing import Annotated, Any

from django.shortcuts import get_object_or_404
from ninja import Query
from pydantic import AfterValidator

from api.auth import LAUNCH, ApiRequest
from api.protocol.errors import invalid
from api.protocol.operations import RUN, USUAL, Cursor, Id, Limit, answers, page_of, resource
from api.resources.instances import Difficulty, Environment
from api.schemas.base import Page
from api.schemas.experiments import Done, RunAction
from api.schemas.runs import RunChange, RunDetail, RunOut
from environments.prompts.variants import base_variant
from environments.registry import variant_names
from infrastructure.money import nano
from infrastructure.schemas import Plain
from runs.models import Agent, Run, RunState
from runs.selectors.experiments import experiment_or_404, run_or_404
from runs.services.budgets import run_set_budget
from runs.services.control import runs_control

router = resource("Runs")


def _check_variant(variant: str) -> str:
    if base_variant(variant) not in variant_names():
        raise ValueError(f"This must be one of {', '.join(variant_names())}, or an own prompt such as main+concise.")
    return variant


Variant = Annotated[Plain, AfterValidator(_check_variant)]
BULKY = ("instance__parameters", "instance__hidden", "instance__reference", "instance__settings", "config", "metrics")


@router.get("/runs", response=answers(Page[RunOut]), summary="List runs")
def list_runs(
    request: ApiRequest,
    experiment: Annotated[int | None, Query(ge=1, le=2**63 - 1, description="Of this experiment.")] = None,
    agent: Annotated[Plain | None, Query(max_length=200, description="Slug of the agent.")] = None,
    environment: Annotated[Environment | None, Query()] = None,
    difficulty: Annotated[Difficulty | None, Query()] = None,
    variant: Annotated[Variant | None, Query()] = None,
    state: Annotated[RunState | None, Query()] = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Any:
    """The newest first; filters narrow together."""
    organization = request.auth.organization
    rows = Run.objects.filter(organization=organization).select_related("instance", "agent", "rival").defer(*BULKY)
    if experiment is not None:
        rows = rows.filter(experiment=experiment_or_404(organization=organization, experiment_id=experiment))
    if agent is not None:
        rows = rows.filter(agent=get_object_or_404(Agent, organization=organization, slug=agent))
    conditions = {
        "instance__environment": environment,
        "instance__difficulty": difficulty,
        "variant": variant,
        "state": state,
    }
    rows = rows.filter(**{column: value for column, value in conditions.items() if value is not None})
    return page_of(request, rows, limit, cursor, RunOut.values, newest=True)


@router.get(RUN, response=answers(RunDetail), summary="Get a run")
def get_run(request: ApiRequest, run_id: Id) -> Any:
    return RunDetail.values(run_or_404(organization=request.auth.organization, run_id=run_id))


@router.patch(RUN, auth=LAUNCH, response=answers(RunDetail, body=True), summary="Change the budget of a run")
def change_run(request: ApiRequest, run_id: Id, body: RunChange) -> Any:
    """A `budget_usd` of null removes the cap."""
    run = run_or_404(organization=request.auth.organization, run_id=run_id)
    if not body.model_fields_set:
        raise invalid({"budget_usd": "This is needed."})
    run_set_budget(run=run, budget_nano=nano(body.budget_usd))
    run.refresh_from_db(fields=["state", "reason", "pause_cause"])
    return RunDetail.values(run)


@router.post(f"{RUN}/{{action}}", auth=LAUNCH, response=answers(Done), summary="Pause, resume, cancel or retry a run")
def act_on_run(request: ApiRequest, run_id: Id, action: RunAction) -> Any:
    """As for experiments, on one run."""
    run = run_or_404(organization=request.auth.organization, run_id=run_id)
    return {"changed": runs_control(runs=Run.objects.filter(pk=run.pk), action=action, user=request.auth.actor)}
