import time
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.text import slugify

from accounts.models import Action, Endpoint, Organization, User
from accounts.services import audit_record
from agents.errors import ProviderFatal, ProviderRetry
from agents.llm import Request
from environments.base import Tool
from infrastructure.connections import let_go_of_connection
from runs.engine.players import connected_llm
from runs.models import Agent
from runs.services.catalog import Price, entered_prices, listed_prices

MOST_OUTPUT_TOKENS = 1_000_000
FIRST_YEAR, LAST_YEAR = 2000, 2100
RELEASE_ERROR = f"A release date lies between {FIRST_YEAR} and {LAST_YEAR}."
PAGES = ("new", "list-prices", "endpoints")
"""Addresses below /agents/ that are no agent."""

_PING = Tool(
    "report_sum",
    "Report the sum of two numbers.",
    {"type": "object", "properties": {"sum": {"type": "integer", "description": "The sum."}}, "required": ["sum"]},
)
_QUESTION = Request(
    system="You test a connection. Answer with the tool.", prompt="Report the sum of 17 and 25.", tools=(_PING,)
)
SUM = 42
TEST_SECONDS = 60.0
"""Shorter than in a run, because a person waits for the result."""

ADVICE = {
    "key": "Enter the right key at the endpoint, then test again.",
    "credit": "Add credit or raise the limit at the provider, then test again.",
    "forbidden": "Ask the provider to open the model to this key, or choose another model.",
    "model": "Compare the model id and the endpoint's address, its path included, with the provider's documents.",
    "address": "Correct the endpoint's address, then test again.",
    "request": "Compare the endpoint's address and the agent's settings with the provider's documents.",
}
BUSY = "The connection itself works; a run would wait and try again."
UNREACHABLE = "Look whether the server runs and the address is right. A run would try again a few times, then pause."
NO_TOOLS = (
    "Agents play by calling tools, so runs of this model will stall. Look whether its server has tools switched on."
)
WRONG_SUM = "The connection is fine, though the sum it reported is wrong: it is 42."


@dataclass(frozen=True)
class ConnectionTest:
    """The result of one real tool call in plain words, with advice."""

    ok: bool
    sentence: str
    details: dict[str, Any] = field(default_factory=dict)
    advice: str = ""


def agent_create(
    *,
    organization: Organization,
    name: str,
    endpoint: Endpoint,
    model: str,
    reasoning: bool = False,
    temperature: float | None = 1.0,
    max_tokens: int | None = None,
    release_date: date | None = None,
    input_price: Price = None,
    cached_price: Price = None,
    output_price: Price = None,
) -> Agent:
    """Create an LLM agent, without prices with those of the list. Raises ValidationError with a sentence a field."""
    entered = (input_price, cached_price, output_price)
    has_any = any(price is not None for price in entered)
    agent = Agent(
        organization=organization,
        slug=slugify(name),
        name=name.strip()[:100],
        provider=endpoint.provider,
        model=model.strip()[:200],
        endpoint=endpoint,
        reasoning=reasoning,
        temperature=temperature,
        max_tokens=max_tokens,
        release_date=release_date,
        **(entered_prices(endpoint.provider, *entered) if has_any else listed_prices(endpoint, model.strip())),
    )
    if errors := _agent_errors(agent) | _price_errors(*entered):
        raise ValidationError(errors)
    agent.save(force_insert=True)
    return agent


def _agent_errors(agent: Agent) -> dict[str, str]:
    errors: dict[str, str] = {}
    if not agent.slug:
        errors["name"] = "Give the agent a name with at least one letter or digit."
    elif agent.slug in PAGES:
        errors["name"] = "A page of the site has this name; choose another."
    elif Agent.objects.filter(organization=agent.organization, slug=agent.slug).exists():
        errors["name"] = "There is an agent of this name already."
    if not agent.model:
        errors["model"] = "Give the model id the provider knows."
    if agent.release_date is not None and not FIRST_YEAR <= agent.release_date.year <= LAST_YEAR:
        errors["release_date"] = RELEASE_ERROR
    if agent.endpoint is None or agent.endpoint.organization_id != agent.organization_id:
        errors["endpoint"] = "Choose one of your endpoints."
    if agent.temperature is not None and not 0 <= agent.temperature <= 2:
        errors["temperature"] = "The temperature lies between 0 and 2."
    if agent.max_tokens is not None and not 1 <= agent.max_tokens <= MOST_OUTPUT_TOKENS:
        errors["max_tokens"] = f"The most output tokens lie between 1 and {MOST_OUTPUT_TOKENS:,}."
    return errors


def agent_set_release(*, agent: Agent, release_date: date | None) -> None:
    """Set when the model was released, None if unknown. Raises ValidationError."""
    if release_date is not None and not FIRST_YEAR <= release_date.year <= LAST_YEAR:
        raise ValidationError({"release_date": RELEASE_ERROR})
    agent.release_date = release_date
    agent.save(update_fields=["release_date"])


def agent_update_prices(
    *, agent: Agent, input_price: Price, cached_price: Price, output_price: Price, actor: User | None = None
) -> None:
    """Set the prices of future queries; past queries keep their cost. Raises ValidationError."""
    entered = (input_price, cached_price, output_price)
    if errors := _price_errors(*entered):
        raise ValidationError(errors)
    # Saving the form without changes keeps list prices: entered prices would lose the tiers for long inputs.
    if not agent.price_source or entered != (agent.input_price, agent.cached_price, agent.output_price):
        _set_prices(agent, entered_prices(agent.provider, *entered), actor)


def agent_use_list_prices(*, agent: Agent, actor: User | None = None) -> None:
    """Set list prices for future queries. Raises ValidationError if the list does not have the model."""
    prices = listed_prices(agent.endpoint, agent.model) if agent.endpoint else {}
    if not prices:
        raise ValidationError("The price list does not know this model at this endpoint's address.")
    _set_prices(agent, prices, actor)


def _set_prices(agent: Agent, prices: dict[str, Any], actor: User | None) -> None:
    before = _describe_prices(agent)
    for name, value in prices.items():
        setattr(agent, name, value)
    with transaction.atomic():
        agent.save(update_fields=list(prices))
        if (after := _describe_prices(agent)) != before:
            subject = f"{agent.name}: {before} → {after}"
            audit_record(organization=agent.organization, actor=actor, action=Action.PRICES_CHANGED, subject=subject)


def _describe_prices(agent: Agent) -> str:
    """'$1.25 in, $0.125 cached, $10 out a million tokens'."""
    named = (("in", agent.input_price), ("cached", agent.cached_price), ("out", agent.output_price))
    known = [f"${price.normalize():f} {what}" for what, price in named if price is not None]
    if not known:
        return "no prices"
    return f"{', '.join(known)} a million tokens{', dearer for long inputs' if agent.long_input_prices else ''}"


def _price_errors(*prices: Price) -> dict[str, str]:
    return {
        name: "A price is between $0 and $10,000 per million tokens."
        for name, price in zip(("input_price", "cached_price", "output_price"), prices, strict=True)
        if price is not None and not 0 <= price <= 10_000
    }


def agent_test_connection(*, agent: Agent, timeout_seconds: float = TEST_SECONDS) -> ConnectionTest:
    """Make one real tool call and describe the result."""
    started = time.monotonic()
    try:
        llm = connected_llm(agent, timeout_seconds=timeout_seconds)
        let_go_of_connection()
        reply = llm.query(_QUESTION)
    except ProviderRetry as error:
        return ConnectionTest(False, error.reason, advice=BUSY if error.limited else UNREACHABLE)
    except ProviderFatal as error:
        return ConnectionTest(False, error.reason, advice=ADVICE.get(error.kind, ""))
    seconds = time.monotonic() - started
    details = {"model": reply.model, "seconds": seconds, "stop": reply.stop, "text": reply.text[:500]}
    details |= {"input_tokens": reply.usage.input_tokens, "output_tokens": reply.usage.output_tokens}
    call = reply.calls[0] if reply.calls else None
    if call is None:
        answered = "The model answered, but with text instead of a tool call."
        return ConnectionTest(False, answered, details, NO_TOOLS)
    details["call"] = {"name": call.name, "arguments": call.arguments, "raw": call.raw[:500]}
    if call.name != _PING.name:
        return ConnectionTest(False, "The model called a tool that it was not offered.", details, NO_TOOLS)
    if call.arguments is None:
        broken = "The model called the tool with arguments that are not a JSON object."
        return ConnectionTest(False, broken, details, NO_TOOLS)
    sentence = f"It works: {reply.model or agent.model} called the tool in {seconds:.1f} s."
    return ConnectionTest(True, sentence, details, "" if call.arguments.get("sum") == SUM else WRONG_SUM)
