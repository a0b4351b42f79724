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
from runs.selectors.outcomes import CallOutcome
from workspace.spending.selectors.ledger import (
    STATES,
    LedgerFilter,
    LedgerRow,
    Totals,
    ledger_calls,
    rows_of_calls,
    totals,
)

router = resource("Ledger")
State = Annotated[str, OneOf(tuple(STATES))]


class CallRow(
    Out,
    rows=(LedgerRow, CallOutcome),
    sources={"outcome": "label"},
    fields=(
        "id at run agent period seat chat step send outcome meaning why input_tokens cached_tokens output_tokens "
        "reasoning_tokens reserved_usd cost_usd thinking_usd"
    ),
    details={
        "agent": Field(examples=["GPT-5"]),
        "outcome": Field(examples=["replied"]),
        "seat": "Empty if the environment has one seat.",
        "send": "How often the same query had been sent before.",
        "reasoning_tokens": "Number of output tokens that were thinking, as far as the provider counts them.",
    },
):
    """One call of a model. `period`, `chat`, `step` and `send` are counted from 0."""

    why: Verbatim
    """The provider's sentence about an error."""

    @staticmethod
    def values(row: LedgerRow) -> dict[str, Any]:
        return CallRow.from_row(row, row.outcome)


class LedgerTotals(
    Out,
    rows=(Totals,),
    fields="calls booked_usd waste_usd reserved_usd",
    details={"calls": Field(examples=[{"replied": 120, "failed": 1}])},
):
    """Sums over all calls that the filters select, in all states and on all pages."""

    waste_usd: USD
    """Cost booked for calls that may have cost less: calls that are unknown, lost or late, and
    replies with an estimated cost."""


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
    of_run = of_agent = None
    if run is not None:
        of_run = run_or_404(organization=organization, run_id=run)
        if of_run.experiment_id != experiment.pk:
            raise Http404
    if agent is not None:
        of_agent = get_object_or_404(Agent, organization=organization, slug=agent)
    ledger_filter = LedgerFilter(organization, experiment, of_run, of_agent, state or "")
    page = page_of(
        request,
        ledger_calls(ledger_filter).only("id"),
        limit,
        cursor,
        CallRow.values,
        read=lambda calls: rows_of_calls([call.pk for call in calls]),
        newest=True,
    )
    return page | {"totals": LedgerTotals.from_row(totals(ledger_filter))}
