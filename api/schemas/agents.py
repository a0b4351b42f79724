from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from accounts.models import Endpoint
from agents.options import EFFORTS, parameters_error
from analysis.agent_page.history import Conditions, HistoryRow, Sums
from api.schemas.base import OneOf, Out
from infrastructure.money import usd
from infrastructure.schemas import In, Plain
from pages.dashboard.selectors.agents import KEYS, AgentRow
from runs.catalog import Retirement
from runs.models import Agent

Price = Annotated[float | None, Field(ge=0, le=10_000, description="US dollars per million tokens.", examples=[1.25])]
Shown = Annotated[float | None, Field(description="US dollars per million tokens; null if the price is not known.")]
Effort = Annotated[str, OneOf(("", *EFFORTS))]


def _sendable(parameters: dict[str, Any]) -> dict[str, Any]:
    if sentence := parameters_error(parameters):
        raise ValueError(sentence)
    return parameters


Parameters = Annotated[dict[str, Any], Field(examples=[{"top_p": 0.9}]), AfterValidator(_sendable)]


class LongInputPrices(Out):
    """The prices of queries with more input tokens than `above`."""

    above: int
    input: Shown
    cached: Shown
    cache_write: Shown
    output: Shown


class RetirementOut(
    Out,
    rows=(Retirement,),
    fields="retires_on replaced_by is_retired sentence",
    details={
        "replaced_by": "Model id of the successor.",
        "is_retired": "A retired model cannot be launched.",
        "sentence": "A sentence for people, from 60 days before the date on; empty until then.",
    },
):
    """The date on which the provider stops serving the model."""


class AgentOut(
    Out,
    rows=(Agent, AgentRow),
    fields=(
        "id slug name is_baseline provider model endpoint reasoning reasoning_effort temperature max_tokens "
        "extra_parameters calls_at_once input_price cached_price output_price long_input_prices price_source "
        "priced_on release_date is_archived retirement key runs"
    ),
    details={
        "slug": Field(
            examples=["pricing-local-search"],
            description=("Identifies the agent in launches and filters. It stays the same when the name changes."),
        ),
        "extra_parameters": "Further parameters of every request to the model.",
        "calls_at_once": (
            "Maximum number of concurrent calls of this agent, over all workers; null if only the endpoint's "
            "limit applies."
        ),
        "price_source": "The price list and its version; empty if a person entered the prices.",
        "key": Field(
            json_schema_extra={"enum": list(KEYS)},
            examples=["set"],
            description=(
                "Whether the agent can be called: `free` for baselines, `missing` if the endpoint has no API key."
            ),
        ),
    },
):
    provider: str
    reasoning_effort: Effort
    """Empty for the provider's default."""
    input_price: Shown
    cached_price: Shown
    output_price: Shown
    long_input_prices: list[LongInputPrices]
    is_archived: bool
    """An archived agent cannot be launched."""
    retirement: RetirementOut | None
    """Null if the date is not known."""

    @staticmethod
    def values(row: AgentRow) -> dict[str, Any]:
        archived = row.agent.archived_at is not None
        retirement = row.retirement and RetirementOut.from_row(row.retirement)
        return AgentOut.from_row(row.agent, key=row.key, runs=row.runs, is_archived=archived, retirement=retirement)


class AgentChange(In):
    """The settings to change. A setting that is left out stays as it is."""

    name: Annotated[Plain, Field(max_length=100, examples=["House model"])] = ""
    endpoint: Annotated[int | None, Field(ge=1, le=2**63 - 1, examples=[3])] = None
    """Number of the endpoint, as in `GET /endpoints`."""
    model: Annotated[Plain, Field(max_length=200, examples=["house-1"])] = ""
    """The provider's id of the model, spelled exactly."""
    reasoning: bool = False
    reasoning_effort: Effort = ""
    """Empty for the provider's default."""
    temperature: Annotated[float | None, Field(ge=0, le=2)] = 1.0
    """Null: requests do not contain the parameter."""
    max_tokens: Annotated[int | None, Field(ge=1, le=1_000_000)] = None
    """Maximum number of output tokens; null for the provider's limit."""
    extra_parameters: Parameters = {}
    """Further parameters of every request: at most 8,192 bytes, no API keys, and no parameter that has its own field here."""
    calls_at_once: Annotated[int | None, Field(ge=1, le=10_000)] = None
    """Maximum number of concurrent calls of this agent, over all workers; null if only the endpoint's limit applies."""
    release_date: Annotated[date | None, Field(strict=False)] = None
    """Release date of the model, for charts of scores over time."""
    input_price: Price = None
    cached_price: Price = None
    output_price: Price = None
    """If all three prices are left out, the agent gets the prices of the price list, if the model is listed."""


class AgentIn(AgentChange):
    """A model by its id, at one of the organization's endpoints."""


class PricesIn(In):
    """The three prices of an agent, which are replaced together. A price that is left out or null is not known."""

    input_price: Price = None
    cached_price: Price = None
    output_price: Price = None


class EndpointOut(
    Out,
    rows=(Endpoint,),
    fields="id name provider base_url has_key header_names calls_at_once requests_per_minute tokens_per_minute",
):
    """The address of a provider. API keys and values of headers are never returned, not even in part."""

    provider: str
    header_names: list[str]
    """Extra headers of every request."""


class HistoryRowOut(
    Out,
    rows=(Sums, Conditions),
    fields=(
        "environment difficulty variant periods generator imported rival instances runs mean interval "
        "standard_error solved cost_usd"
    ),
    nullable="cost_usd",
    details={
        "cost_usd": "Cost of all these runs; null if the price is not known.",
        "rival": "Name of the other agent in the second seat of a market; empty if there is none.",
        "mean": "Mean score over instances, as a share from 0 to 1; several runs of one instance count as their mean.",
        "standard_error": "Standard error of the mean, as a share; null for one instance.",
        "solved": (
            "Number of instances that every run solved; null if the environment does not count solved instances."
        ),
    },
):
    """Finished runs in one environment and difficulty under the same conditions, as unrounded shares."""

    interval: list[float] | None
    """95 % interval of the mean, as shares; null below six instances, or if all scores are equal. The method
    is Student's t, wider near a bound. If half of the scores equal a bound, it is the BCa
    bootstrap, and null below twelve instances."""

    @staticmethod
    def values(row: HistoryRow) -> dict[str, Any]:
        cost = usd(row.sums.cost_nano) if row.cost_is_known else None
        interval = list(row.interval) if row.interval else None
        return HistoryRowOut.from_row(row.sums, row.conditions, interval=interval, cost_usd=cost)


class HistoryOut(Out):
    rows: list[HistoryRowOut]

    @staticmethod
    def values(rows: Iterable[HistoryRow]) -> dict[str, Any]:
        return {"rows": [HistoryRowOut.values(row) for row in rows]}
