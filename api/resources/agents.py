from collections.abc import Callable
from typing import Annotated, Any

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Path, Query

from analysis.agent_page.selectors import agent_or_404, history_of
from api.auth import MANAGE, ApiRequest
from api.protocol.errors import invalid, valid
from api.protocol.operations import USUAL, Cursor, IdempotencyKey, Limit, answers, given, once, page_of, resource
from api.schemas.agents import AgentChange, AgentIn, AgentOut, EndpointOut, HistoryOut, PricesIn
from api.schemas.base import Page
from pages.dashboard.forms.agents import AgentForm
from pages.dashboard.selectors.agents import AgentRow, agents_of, row_of
from runs.models import Agent
from runs.services import agents as services

router = resource("Agents and endpoints")
Slug = Annotated[str, Path(max_length=200, examples=["random"])]


@router.get("/agents", response=answers(Page[AgentOut], has_404=False), summary="List agents")
def list_agents(
    request: ApiRequest,
    archived: Annotated[
        bool | None,
        Query(description="true: only archived agents; false: only agents that are not archived; left out: all."),
    ] = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Any:
    """List all baselines and models, in the order in which they were added."""
    condition = Q() if archived is None else Q(archived_at__isnull=not archived)
    rows = agents_of(organization=request.auth.organization).filter(condition)
    return page_of(request, rows, limit, cursor, lambda agent: _answer(request, agent))


@router.post("/agents", auth=MANAGE, response=answers(AgentOut, 201, has_404=False, body=True), summary="Add an agent")
def create_agent(request: ApiRequest, body: AgentIn, idempotency_key: IdempotencyKey = None) -> HttpResponse:
    """The agent is a model, with its id at one of your endpoints. If its price is not known, no cost is counted and
    launches with a budget reject it."""
    return _created(request, idempotency_key, body.model_dump())


@router.get("/agents/{slug:slug}", response=answers(AgentOut), summary="Get an agent")
def get_agent(request: ApiRequest, slug: Slug) -> Any:
    return _answer(request, _agent(request, slug))


@router.patch(
    "/agents/{slug:slug}", auth=MANAGE, response=answers(AgentOut, body=True), summary="Change an agent's settings"
)
def change_agent(request: ApiRequest, slug: Slug, body: AgentChange) -> Any:
    """Settings that are left out stay as they are. The slug never changes. Once the agent has a run, only its name, calls
    at once, release date and prices can change: duplicate it for other settings. New prices apply to later queries."""
    agent = _agent(request, slug)
    if not body.model_fields_set:
        raise invalid({"body": "Say what to change, such as name or release_date."})
    return _changed(request, agent, body.model_dump(exclude_unset=True))


@router.post(
    "/agents/{slug:slug}/duplicate",
    auth=MANAGE,
    response=answers(AgentOut, 201, body=True),
    summary="Duplicate an agent",
)
def duplicate_agent(
    request: ApiRequest, slug: Slug, body: AgentChange, idempotency_key: IdempotencyKey = None
) -> HttpResponse:
    """Create an agent with the same settings, except those in the body. It gets a free name unless the body has one.
    Prices that came from the price list are looked up again."""
    agent = _agent(request, slug)
    if agent.is_baseline:
        raise invalid({"body": "A baseline has no settings to duplicate."})
    return _created(request, idempotency_key, services.duplicate_values(agent) | body.model_dump(exclude_unset=True))


@router.post("/agents/{slug:slug}/archive", auth=MANAGE, response=answers(AgentOut), summary="Archive an agent")
def archive_agent(request: ApiRequest, slug: Slug) -> Any:
    """An archived agent can no longer be launched. Its runs continue and its results stay."""
    return _acted(request, slug, services.agent_archive)


@router.post("/agents/{slug:slug}/unarchive", auth=MANAGE, response=answers(AgentOut), summary="Unarchive an agent")
def unarchive_agent(request: ApiRequest, slug: Slug) -> Any:
    return _acted(request, slug, services.agent_unarchive)


# Names of outside agents and people may use any script, and so may their slugs.
@router.get("/agents/{slug}/history", response=answers(HistoryOut), summary="Get the scores of an agent")
def agent_history(request: ApiRequest, slug: Slug) -> Any:
    """One row for each environment and difficulty. Runs with another prompt, length, generator or rival have another row."""
    return HistoryOut.values(history_of(agent_or_404(organization=request.auth.organization, slug=slug)))


@router.put(
    "/agents/{slug:slug}/prices", auth=MANAGE, response=answers(AgentOut, body=True), summary="Set an agent's prices"
)
def set_prices(request: ApiRequest, slug: Slug, body: PricesIn) -> Any:
    """The prices apply to later queries; earlier queries keep their cost. If all three are left out, the agent gets the
    prices of the price list, if the model is listed."""
    return _changed(request, _agent(request, slug), body.model_dump())


@router.get("/endpoints", response=answers(Page[EndpointOut], has_404=False), summary="List endpoints")
def list_endpoints(request: ApiRequest, limit: Limit = USUAL, cursor: Cursor = None) -> Any:
    """An endpoint is the address of a provider. API keys are write-only; enter them on the Agents page."""
    return page_of(request, request.auth.organization.endpoints.all(), limit, cursor, EndpointOut.from_row)


def _agent(request: ApiRequest, slug: str) -> Agent:
    return get_object_or_404(agents_of(organization=request.auth.organization), slug=slug)


def agent_named(request: ApiRequest, slug: str | None) -> Agent | None:
    """The agent of a filter, deleted ones not included; None without a slug. Raises Http404."""
    return None if slug is None else get_object_or_404(Agent, organization=request.auth.organization, slug=slug)


def _answer(request: ApiRequest, agent: Agent) -> dict[str, Any]:
    return AgentOut.values(row_of(agent, request.auth.organization))


def _acted(request: ApiRequest, slug: str, service: Callable[..., object]) -> dict[str, Any]:
    agent = _agent(request, slug)
    service(agent=agent, actor=request.auth.user)
    return _answer(request, agent)


def _form(request: ApiRequest, values: dict[str, Any]) -> AgentForm:
    return AgentForm(given(**values), organization=request.auth.organization)


def _created(request: ApiRequest, idempotency_key: str | None, values: dict[str, Any]) -> HttpResponse:
    organization = request.auth.organization

    def create(cleaned: dict[str, Any]) -> dict[str, Any]:
        agent = services.agent_create(organization=organization, **cleaned)
        return AgentOut.values(AgentRow(agent, 0, row_of(agent, organization).key))

    return once(request, idempotency_key, AgentOut, lambda: valid(_form(request, values)), create)


def _changed(request: ApiRequest, agent: Agent, changes: dict[str, Any]) -> Any:
    cleaned = valid(_form(request, services.agent_values(agent) | changes)) if agent.endpoint else {}
    checked: dict[str, Any] = {name: cleaned.get(name) for name in changes}
    services.agent_update(agent=agent, actor=request.auth.user, **checked)
    return _answer(request, agent)
