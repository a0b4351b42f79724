from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Path

from accounts.models import Endpoint
from api.auth import MANAGE, READ, ApiRequest
from api.protocol.errors import valid
from api.protocol.idempotency import once
from api.protocol.operations import USUAL_LIMIT, Cursor, IdempotencyKey, Limit, answers, resource
from api.protocol.paging import page_of, window
from api.schemas.agents import AgentIn, AgentOut, EndpointOut, PricesIn
from api.schemas.base import Page
from dashboard.forms.agents import AgentForm, PricesForm
from dashboard.selectors.agents import AgentRow, agents_of, row_of
from runs.models import Agent
from runs.services import agent_create, agent_update_prices

router = resource("Agents and endpoints")
Slug = Annotated[str, Path(max_length=200, examples=["random"])]


@router.get("/agents", auth=READ, response=answers(Page[AgentOut], of_one=False), summary="List agents")
def list_agents(request: ApiRequest, limit: Limit = USUAL_LIMIT, cursor: Cursor = None) -> Any:
    """Baselines and models, in the order they were added."""
    organization = request.auth.organization

    def shaped(agents: list[Agent]) -> list[dict[str, Any]]:
        return [AgentOut.values(row_of(agent, organization)) for agent in agents]

    return page_of(agents_of(organization=organization), window(request, limit, cursor), shaped)


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


@router.get("/agents/{slug:slug}", auth=READ, response=answers(AgentOut), summary="Get an agent")
def get_agent(request: ApiRequest, slug: Slug) -> Any:
    organization = request.auth.organization
    return AgentOut.values(row_of(get_object_or_404(agents_of(organization=organization), slug=slug), organization))


@router.put(
    "/agents/{slug:slug}/prices", auth=MANAGE, response=answers(AgentOut, body=True), summary="Set an agent's prices"
)
def set_prices(request: ApiRequest, slug: Slug, body: PricesIn) -> Any:
    """For the queries to come; what was played keeps its cost."""
    organization = request.auth.organization
    agent = get_object_or_404(agents_of(organization=organization), slug=slug)
    agent_update_prices(agent=agent, **valid(PricesForm(_typed(body))))
    return AgentOut.values(row_of(agent, organization))


@router.get("/endpoints", auth=READ, response=answers(Page[EndpointOut], of_one=False), summary="List endpoints")
def list_endpoints(request: ApiRequest, limit: Limit = USUAL_LIMIT, cursor: Cursor = None) -> Any:
    """Where providers are reached. Keys are entered on the Agents page and never told."""
    rows = Endpoint.objects.filter(organization=request.auth.organization)
    return page_of(rows, window(request, limit, cursor), lambda found: [EndpointOut.from_row(row) for row in found])


def _typed(body: AgentIn | PricesIn) -> dict[str, Any]:
    return {name: value for name, value in body.model_dump().items() if value is not None}
