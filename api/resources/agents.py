from datetime import date
from typing import Annotated, Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Path
from pydantic import Field

from analysis.agent_page.selectors import agent_or_404, history_of
from api.auth import MANAGE, ApiRequest
from api.protocol.errors import valid
from api.protocol.idempotency import once
from api.protocol.operations import USUAL, Cursor, IdempotencyKey, Limit, answers, page_of, resource
from api.schemas.agent_history import HistoryOut
from api.schemas.base import Out, Page
from dashboard.forms.agents import AgentForm, PricesForm
from dashboard.selectors.agents import KEYS, AgentRow, agents_of, row_of
from infrastructure.schemas import In, Plain
from runs.services import agent_create, agent_update_prices

router = resource("Agents and endpoints")
Slug = Annotated[str, Path(max_length=200, examples=["random"])]
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
        return AgentOut.from_row(row.agent, key=row.key, runs=row.runs)


class AgentIn(In):
    """A model by its id, at one of the organization's endpoints."""

    name: Annotated[Plain, Field(max_length=100, examples=["House model"])] = ""
    endpoint: Annotated[int | None, Field(ge=1, le=2**63 - 1, examples=[3])] = None
    """Its number, as `GET /endpoints` lists them."""
    model: Annotated[Plain, Field(max_length=200, examples=["house-1"])] = ""
    """Exactly as the provider calls it."""
    reasoning: bool = False
    temperature: Annotated[float | None, Field(ge=0, le=2)] = 1.0
    release_date: date | None = None
    """When the model was released, for scores over time."""
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


@router.get("/agents", response=answers(Page[AgentOut], of_one=False), summary="List agents")
def list_agents(request: ApiRequest, limit: Limit = USUAL, cursor: Cursor = None) -> Any:
    """Baselines and models, in the order they were added."""
    organization = request.auth.organization
    rows = agents_of(organization=organization)
    return page_of(request, rows, limit, cursor, lambda agent: AgentOut.values(row_of(agent, organization)))


@router.post("/agents", auth=MANAGE, response=answers(AgentOut, 201, of_one=False, body=True), summary="Add an agent")
def create_agent(request: ApiRequest, body: AgentIn, idempotency_key: IdempotencyKey = None) -> HttpResponse:
    """A model by its id, at one of your endpoints. Where no price is known no cost is counted, and no budget holds it."""
    organization = request.auth.organization

    def prepare() -> dict[str, Any]:
        return valid(AgentForm(_typed(body), organization=organization))

    def create(values: dict[str, Any]) -> AgentOut:
        agent = agent_create(organization=organization, **values)
        return AgentOut.model_validate(AgentOut.values(AgentRow(agent, 0, row_of(agent, organization).key)))

    return once(request, idempotency_key, prepare, create)


@router.get("/agents/{slug:slug}", response=answers(AgentOut), summary="Get an agent")
def get_agent(request: ApiRequest, slug: Slug) -> Any:
    organization = request.auth.organization
    return AgentOut.values(row_of(get_object_or_404(agents_of(organization=organization), slug=slug), organization))


@router.get("/agents/{slug:slug}/history", response=answers(HistoryOut), summary="Get the scores of an agent")
def agent_history(request: ApiRequest, slug: Slug) -> Any:
    """By environment and difficulty. Runs with another prompt, length, generator or rival have a row of their own."""
    return HistoryOut.values(history_of(agent_or_404(organization=request.auth.organization, slug=slug)))


@router.put(
    "/agents/{slug:slug}/prices", auth=MANAGE, response=answers(AgentOut, body=True), summary="Set an agent's prices"
)
def set_prices(request: ApiRequest, slug: Slug, body: PricesIn) -> Any:
    """For the queries to come; what was played keeps its cost."""
    organization = request.auth.organization
    agent = get_object_or_404(agents_of(organization=organization), slug=slug)
    agent_update_prices(agent=agent, **valid(PricesForm(_typed(body))))
    return AgentOut.values(row_of(agent, organization))


@router.get("/endpoints", response=answers(Page[EndpointOut], of_one=False), summary="List endpoints")
def list_endpoints(request: ApiRequest, limit: Limit = USUAL, cursor: Cursor = None) -> Any:
    """Where providers are reached. Keys are entered on the Agents page and never told."""
    return page_of(request, request.auth.organization.endpoints.all(), limit, cursor, EndpointOut.from_row)


def _typed(body: AgentIn | PricesIn) -> dict[str, Any]:
    return {name: value for name, value in body.model_dump().items() if value is not None}
