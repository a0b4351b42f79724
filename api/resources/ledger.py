from typing import Annotated, Any

from django.shortcuts import get_object_or_404
from ninja import Query
from pydantic import Field

from api.auth import ApiRequest
from api.protocol.operations import EXPERIMENT, USUAL, Cursor, Id, Limit, answers, page_of, resource
from api.resources.agents import agent_named
from api.resources.experiments import experiment_of
from api.schemas.base import USD, OneOf, Out, Page, Verbatim
from infrastructure.schemas import Plain
from runs.selectors.outcomes import CallOutcome
from workspace.spending.selectors import ledger

router = resource("Ledger")
State = Annotated[str, OneOf(tuple(ledger.STATES))]


class CallRow(
    Out,
    rows=(ledger.LedgerRow, CallOutcome),
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
    def values(row: ledger.LedgerRow) -> dict[str, Any]:
        return CallRow.from_row(row, row.outcome)


class LedgerTotals(
    Out,
    rows=(ledger.Totals,),
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
    experiment = experiment_of(request, experiment_id)
    of_run = None if run is None else get_object_or_404(experiment.runs, pk=run)
    of_agent = agent_named(request, agent)
    ledger_filter = ledger.LedgerFilter(request.auth.organization, experiment, of_run, of_agent, state or "")
    page = page_of(
        request,
        ledger.ledger_calls(ledger_filter).only("id"),
        limit,
        cursor,
        CallRow.values,
        read=lambda calls: ledger.rows_of_calls([call.pk for call in calls]),
        newest=True,
    )
    return page | {"totals": LedgerTotals.from_row(ledger.totals(ledger_filter))}
