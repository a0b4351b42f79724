from typing import Any

from django.core.exceptions import ValidationError

from api.auth import LAUNCH, ApiRequest
from api.protocol.errors import invalid
from api.protocol.operations import EXPERIMENT, Id, answers, resource
from api.schemas.experiments import Done, SeedsOut
from runs.launching.request import LaunchIn, request_as_plan
from runs.selectors.experiments import experiment_or_404
from runs.stages.planning import comparison_plan
from runs.stages.services import comparison_continue

router = resource("Experiments")
TWO = "Name two agents that both play all the environments, benchmarks only, and one prompt variant."


@router.post(
    "/estimate/seeds", response=answers(SeedsOut, has_404=False, body=True), summary="Seeds that tell two agents apart"
)
def estimate_seeds(request: ApiRequest, body: LaunchIn) -> Any:
    """How many seeds it takes to find a difference of `points` between the two `agents` with 80 % power at the 5 % level,
    from the spread measured so far, and at what price. Nothing is launched or stored."""
    organization = request.auth.organization
    plan = comparison_plan(request_as_plan(body, organization), organization)
    if plan is None:
        raise invalid({"agents": TWO})
    return vars(plan)


@router.post(
    f"{EXPERIMENT}/stages/continue",
    auth=LAUNCH,
    response=answers(Done, body=True),
    summary="Play all stages without looks",
)
def continue_stages(request: ApiRequest, experiment_id: Id) -> Any:
    """Queues the runs of all later stages; the experiment does not stop early any more."""
    experiment = experiment_or_404(organization=request.auth.organization, experiment_id=experiment_id)
    try:
        return {"changed": comparison_continue(experiment=experiment, user=request.auth.actor)}
    except ValidationError as error:
        raise invalid({"experiment": error.messages[0]}) from None
