from __future__ import annotations

from typing import Annotated, Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from ninja import Query

from api.auth import READ, ApiRequest
from api.protocol.operations import USUAL_LIMIT, Cursor, Id, Limit, answers, resource
from api.protocol.paging import page_of, window
from api.schemas.base import OneOf, Plain
from api.schemas.ledger import CallRow, LedgerPage, LedgerTotals
from runs.models import Agent
from runs.selectors.experiments import experiment_or_404
from runs.selectors.runs import run_or_404
from spending.selectors.ledger import STATES, LedgerFilter, ledger_calls, rows_of_calls, totals

router = resource("Ledger")
State = Annotated[str, OneOf(tuple(STATES))]


@router.get(
    "/experiments/{int:experiment_id}/ledger",
    auth=READ,
    response=answers(LedgerPage),
    summary="List the model calls of an experiment and what they cost",
)
def list_calls(
    request: ApiRequest,
    experiment_id: Id,
    run: Annotated[int | None, Query(ge=1, le=2**63 - 1, description="Only calls of this run.")] = None,
    agent: Annotated[Plain | None, Query(max_length=200, description="Only calls of this agent, by slug.")] = None,
    state: Annotated[State | None, Query(description="`waste` is unknown, lost and late together.")] = None,
    limit: Limit = USUAL_LIMIT,
    cursor: Cursor = None,
) -> Any:
    """The latest first. Baselines call no model and are not in it."""
    organization = request.auth.organization
    experiment = experiment_or_404(organization=organization, experiment_id=experiment_id)
    of_run = of_agent = None
    if run is not None:
        of_run = run_or_404(organization=organization, run_id=run)
        if of_run.experiment_id != experiment.pk:
            raise Http404
    if agent is not None:
        of_agent = get_object_or_404(Agent, organization=organization, slug=agent)
    wanted = LedgerFilter(organization, experiment, of_run, of_agent, state or "")

    def shaped(calls: list[Any]) -> list[dict[str, Any]]:
        return [CallRow.values(row) for row in rows_of_calls([call.pk for call in calls])]

    page = page_of(ledger_calls(wanted).only("id"), window(request, limit, cursor), shaped, newest=True)
    return page | {"totals": LedgerTotals.values(totals(wanted))}
