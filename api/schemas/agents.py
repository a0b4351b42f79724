from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from pydantic import Field

from api.schemas.base import In, Out, Plain
from dashboard.selectors.agents import KEYS, AgentRow

Price = Annotated[float | None, Field(ge=0, le=10_000, description="US dollars per million tokens.", examples=[1.25])]
Shown = Annotated[float | None, Field(description="US dollars per million tokens; null where none is known.")]


class LongInputPrices(Out):
    """The prices of queries with more input tokens than `above`."""

    above: int
    input: Shown
    cached: Shown
    cache_write: Shown
    output: Shown


class AgentOut(Out):
    id: int
    slug: Annotated[str, Field(examples=["pricing-local-search"])]
    """What launches and filters call it."""
    name: str
    is_baseline: bool
    provider: str
    model: str
    endpoint: int | None
    reasoning: bool
    temperature: float | None
    max_tokens: int | None
    input_price: Shown
    cached_price: Shown
    output_price: Shown
    long_input_prices: list[LongInputPrices]
    price_source: str
    """The price list and its version, empty for prices that were entered."""
    priced_on: date | None
    release_date: date | None
    key: Annotated[str, Field(json_schema_extra={"enum": list(KEYS)}, examples=["set"])]
    """Whether it can be called: `free` for baselines, `missing` where no key was entered."""
    runs: int

    @staticmethod
    def values(row: AgentRow) -> dict[str, Any]:
        return AgentOut.from_row(row.agent, endpoint=row.agent.endpoint_id, key=row.key, runs=row.runs)


class AgentIn(In):
    """A model by its id, at one of the organization's endpoints."""

    name: Annotated[Plain, Field(max_length=100, examples=["House model"])] = ""
    endpoint: Annotated[int | None, Field(ge=1, le=2**63 - 1, examples=[3])] = None
    """Its number, as `GET /endpoints` lists them."""
    model: Annotated[Plain, Field(max_length=200, examples=["house-1"])] = ""
    """Exactly as the provider calls it."""
    reasoning: bool = False
    temperature: Annotated[float | None, Field(ge=0, le=2)] = 1.0
    max_tokens: Annotated[int | None, Field(ge=1, le=1_000_000)] = None
    """Without any of the three prices the agent gets those of the price list, where it knows the model."""
    input_price: Price = None
    cached_price: Price = None
    output_price: Price = None


class PricesIn(In):
    """All three at once; null where none is known."""

    input_price: Price = None
    cached_price: Price = None
    output_price: Price = None


class EndpointOut(Out):
    """Where a provider is reached. Keys are never told, not even in part."""

    id: int
    name: str
    provider: str
    base_url: str
    has_key: bool
    calls_at_once: int | None
    requests_per_minute: int | None
    tokens_per_minute: int | None
