from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from api.schemas.base import USD, Out, Page, Verbatim
from infrastructure.money import usd
from spending.selectors.ledger import LedgerRow, Totals


class CallRow(Out):
    """One call of a model. Places count from 0."""

    id: int
    at: datetime
    run: int
    agent: Annotated[str, Field(examples=["GPT-5"])]
    period: int
    seat: str
    """Empty where there is one seat."""
    chat: int
    step: int
    send: int
    """How often this place had been sent before."""
    outcome: Annotated[str, Field(examples=["replied"])]
    meaning: str
    why: Verbatim
    """What the provider said."""
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reserved_usd: USD
    cost_usd: USD

    @staticmethod
    def values(row: LedgerRow) -> dict[str, Any]:
        outcome = {"outcome": row.outcome.label, "meaning": row.outcome.meaning, "why": row.outcome.why}
        amounts = {"reserved_usd": usd(row.reserved_nano), "cost_usd": usd(row.cost_nano)}
        return CallRow.from_row(row, run=row.run_id, **outcome, **amounts)


class LedgerTotals(Out):
    """Of the whole selection, whatever page is shown and whatever the state."""

    calls: Annotated[dict[str, int], Field(examples=[{"replied": 120, "failed": 1}])]
    booked_usd: USD
    waste_usd: USD
    """Booked for calls that brought nothing: of unknown outcome, lost or late."""
    reserved_usd: USD

    @staticmethod
    def values(totals: Totals) -> dict[str, Any]:
        names = ("booked", "waste", "reserved")
        return {"calls": totals.calls} | {f"{name}_usd": usd(getattr(totals, f"{name}_nano")) for name in names}


class LedgerPage(Page[CallRow]):
    totals: LedgerTotals
