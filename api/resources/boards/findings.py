from typing import Annotated, Any

from ninja import Query

from api.auth import ApiRequest
from api.protocol.operations import RUN, Id, answers, resource
from api.resources.instances import Environment
from api.schemas.boards.findings import FindingsOut, RunFindingsOut
from runs.findings.selectors import agent_table, run_report
from runs.selectors.experiments import run_or_404

router = resource("Findings")


@router.get(f"{RUN}/findings", response=answers(RunFindingsOut), summary="Get the findings of a run")
def get_findings(request: ApiRequest, run_id: Id) -> Any:
    """What happened in a finished run, by fixed rules on its periods."""
    run = run_or_404(organization=request.auth.organization, run_id=run_id)
    return RunFindingsOut.values(run, run_report(run))


@router.get("/findings", response=answers(FindingsOut, has_404=False), summary="Count findings by agent and rule")
def count_findings(request: ApiRequest, environment: Annotated[Environment | None, Query()] = None) -> Any:
    """In how many of its finished runs each agent has a finding. A market of two agents counts for
    both, with the findings about their own seats."""
    return FindingsOut.values(agent_table(organization=request.auth.organization, environment=environment or ""))
