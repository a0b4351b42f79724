from datetime import datetime
from typing import Annotated, Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from ninja import Query
from pydantic import Field

from api.auth import ApiRequest
from api.protocol.operations import EXPERIMENT, USUAL, Cursor, Id, Limit, answers, page_of, resource
from api.schemas.base import USD, OneOf, Out, Page, Verbatim
from infrastructure.schemas import Plain
from runs.models import Agent
from runs.selectors.experiments import experiment_or_404, run_or_404
from workspace.spending.selectors.ledger import STATES, LedgerFilter, LedgerRow, ledger_calls, rows_of_calls, totals

router = resource("Ledger")
State = Annotated[str, OneOf(tuple(STATES))]


class CallRow(Out):
    """One call of a model. `period`, `chat`, `step` and `send` are counted from 0."""

    id: int
    at: datetime
    run: int
    agent: Annotated[str, Field(examples=["GPT-5"])]
    period: int
    seat: str
    """Empty if the environment has one seat."""
    chat: int
    step: int
    send: int
    """How often the same query had been sent before."""
    outcome: Annotated[str, Field(examples=["replied"])]
    meaning: str
    why: Verbatim
    """The provider's sentence about an error."""
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    """Number of output tokens that were thinking, as far as the provider counts them."""
    reserved_usd: USD
    cost_usd: USD
    thinking_usd: USD
    """The part of the cost that is for thinking."""

    @staticmethod
    def values(row: LedgerRow) -> dict[str, Any]:
        return CallRow.from_row(row, row.outcome, outcome=row.outcome.label)


class LedgerTotals(Out):
    """Sums over all calls that the filters select, in all states and on all pages."""

    calls: Annotated[dict[str, int], Field(examples=[{"replied": 120, "failed": 1}])]
    booked_usd: USD
    waste_usd: USD
    """Cost booked for calls that may have cost less: calls that are unknown, lost or late, and
    replies with an estimated cost."""
    reserved_usd: USD


class LedgerPage(Page[CallRow]):
    totals: LedgerTotals


@router.get(
    f"{EXPERIMENT}/ledger",
    response=answers(LedgerPage),
    summary="List the model calls of an experiment and what they cost",
)
def list_calls(
    request: ApiRequest,
    experiment_id: Id,
    run: Annotated[int | None, Query(ge=1, le=2**63 - 1, description="Only calls of this run.")] = None,
    agent: Annotated[Plain | None, Query(max_length=200, description="Only calls of this agent, by slug.")] = None,
    state: Annotated[
        State | None,
        Query(description="The state of the call. `waste`: unknown, lost, late and estimate together."),
    ] = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Any:
    """List model calls, latest first. Baselines call no model, so they have no rows."""
    organization = request.auth.organization
    experiment = experiment_or_404(organization=organization, experiment_id=experiment_id)
    of_run = None
    if run is not None:
        of_run = run_or_404(organization=organization, run_id=run)
        if of_run.experiment_id != experiment.pk:
            raise Http404
    of_agent = None if agent is None else get_object_or_404(Agent, organization=organization, slug=agent)
    ledger_filter = LedgerFilter(organization, experiment, of_run, of_agent, state or "")
    return page_of(
        request,
        ledger_calls(ledger_filter).only("id"),
        limit,
        cursor,
        CallRow.values,
        read=lambda calls: rows_of_calls([call.pk for call in calls]),
        newest=True,
    ) | {"totals": LedgerTotals.from_row(totals(ledger_filter))}
