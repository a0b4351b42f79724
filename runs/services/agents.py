from collections.abc import Sequence
from copy import copy
from datetime import date
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import Action, Endpoint, Organization, User
from accounts.services.audit import audit_record
from infrastructure.text.slugs import ascii_slug
from infrastructure.transactions import write_transaction
from runs.models import Agent, Run
from runs.saving import save_unique, set_values
from runs.services.agent_errors import PRICES, TAKEN, agent_errors
from runs.services.catalog import Price, entered_prices, listed_prices

PAGES = ("new", "list-prices", "baselines", "endpoints", "outside")
"""Addresses below /agents/ that no agent may have as its slug."""

FROZEN = {
    "endpoint": "endpoint",
    "model": "model id",
    "reasoning": "reasoning model",
    "reasoning_effort": "reasoning effort",
    "temperature": "temperature",
    "max_tokens": "most output tokens",
    "extra_parameters": "extra parameters",
}
"""Settings that determine how the agent plays, with their names in words. They are frozen once the agent has a run."""

SETTINGS = {"name": "name"} | FROZEN | {"calls_at_once": "calls at once", "release_date": "release date"}
IS_FROZEN = "It is frozen, since the agent has runs: their results must stay attributable. Duplicate the agent instead."
MODELS = "language models at your endpoints"


def agent_create(
    *,
    organization: Organization,
    name: str,
    endpoint: Endpoint,
    model: str,
    reasoning: bool = False,
    temperature: float | None = 1.0,
    max_tokens: int | None = None,
    reasoning_effort: str = "",
    extra_parameters: dict[str, Any] | None = None,
    calls_at_once: int | None = None,
    release_date: date | None = None,
    input_price: Price = None,
    cached_price: Price = None,
    output_price: Price = None,
) -> Agent:
    """Create an LLM agent. Without prices it gets the list prices. Raises ValidationError with a sentence for each field."""
    agent = Agent(
        organization=organization,
        name=name.strip()[:100],
        provider=endpoint.provider,
        model=model.strip()[:200],
        endpoint=endpoint,
        calls_at_once=calls_at_once,
        release_date=release_date,
        reasoning=reasoning,
        temperature=temperature,
        max_tokens=max_tokens,
        reasoning_effort=reasoning_effort,
        extra_parameters=extra_parameters or {},
    )
    if errors := agent_errors(agent, entered := (input_price, cached_price, output_price)):
        raise ValidationError(errors)
    agent.slug = free_slug(agent)
    _set_prices(agent, entered)
    save_unique(agent, {"name": TAKEN})
    return agent


def agent_values(agent: Agent) -> dict[str, Any]:
    """The arguments of `agent_create` that create the same agent. List prices are left out."""
    return {name: getattr(agent, name) for name in (*SETTINGS, *(() if agent.price_source else PRICES))}


def duplicate_values(agent: Agent) -> dict[str, Any]:
    """The arguments of `agent_create` for a copy of the agent under a free name."""
    return agent_values(agent) | {"name": free_name(agent.organization, agent.name)}


def agents_at_efforts(*, agent: Agent, efforts: Sequence[str]) -> list[Agent]:
    """Create agents of the same model at these reasoning efforts, except those that exist. Raises ValidationError."""
    if agent.endpoint is None or not efforts:
        raise ValidationError("Choose at least one effort of a language model.")
    base = agent.name.removesuffix(f" ({agent.reasoning_effort})")
    existing_efforts = set(
        agent.endpoint.agents.filter(model=agent.model, archived_at=None).values_list("reasoning_effort", flat=True)
    )
    with write_transaction():
        return [
            agent_create(
                organization=agent.organization,
                **agent_values(agent)
                | {"name": free_name(agent.organization, f"{base[:80]} ({effort})"), "reasoning_effort": effort},
            )
            for effort in dict.fromkeys(efforts)
            if effort not in existing_efforts
        ]


def free_name(organization: Organization, name: str) -> str:
    """The name, with a number added if another agent has this name."""
    taken = {other_name.casefold() for other_name in organization.agents.values_list("name", flat=True)}
    names = (name, *(f"{name[:94]} {number}" for number in range(2, len(taken) + 3)))
    return next(free for free in names if free.casefold() not in taken)


def agent_update(*, agent: Agent, actor: User | None = None, from_list: bool = False, **changes: Any) -> None:
    """Change settings of an LLM agent: names of SETTINGS and PRICES. The slug stays, because launches use it.

    New prices apply to future queries. If all three prices are missing, the agent gets the list prices, if its model has
    any. An agent that has list prices keeps them; `from_list` replaces them by today's. Raises ValidationError by field.
    """
    with write_transaction():
        new = locked_agents().get(pk=agent.pk)
        if new.is_baseline or new.imported:
            raise ValidationError(f"Only {MODELS} can be changed.")
        old = copy(new)
        for name in SETTINGS:
            value = changes.get(name, getattr(old, name))
            setattr(new, name, value.strip() if isinstance(value, str) else value)
        assert new.endpoint is not None
        new.provider = new.endpoint.provider
        submitted_prices = {name: changes[name] for name in PRICES if name in changes}
        keeps_list = from_list or (bool(old.price_source) and not submitted_prices)
        entered = tuple(None if keeps_list else submitted_prices.get(name, getattr(old, name)) for name in PRICES)
        changed = [name for name in SETTINGS if getattr(new, name) != getattr(old, name)]
        if any(name in FROZEN for name in changed):
            # What was learned with one model may be wrong for another.
            new.learned = {}
        errors = agent_errors(new, entered, changed)
        if any(name in FROZEN for name in changed) and has_runs(new):
            errors |= {name: IS_FROZEN for name in changed if name in FROZEN}
        if errors:
            raise ValidationError(errors)
        _set_prices(new, entered, old, from_list)
        new.save()
        differences = [f"{SETTINGS[name]} {_value_text(old, name)} → {_value_text(new, name)}" for name in changed]
        if (before := old.prices_in_words) != (after := new.prices_in_words):
            differences.append(f"{before} → {after}")
        if differences:
            subject = f"{old.name}: {'; '.join(differences)}"
            audit_record(organization=new.organization, actor=actor, action=Action.AGENT_CHANGED, subject=subject)
    agent.refresh_from_db()


def agent_archive(*, agent: Agent, actor: User | None = None) -> None:
    """Stop offering an LLM agent for launches. Its runs go on and its results stay. Raises ValidationError."""
    if agent.is_baseline or agent.imported:
        raise ValidationError(f"Only {MODELS} can be archived.")
    _set_archived(agent, actor, Action.AGENT_ARCHIVED)


def agent_unarchive(*, agent: Agent, actor: User | None = None) -> None:
    _set_archived(agent, actor, Action.AGENT_UNARCHIVED)


def locked_agents() -> QuerySet[Agent]:
    """Agents, locked until the transaction ends. Engine writes that refer to them do not wait for the lock."""
    return Agent.objects.select_for_update(of=("self",), no_key=True).select_related("endpoint")


def has_runs(agent: Agent) -> bool:
    """Whether the agent plays or played a run in any seat. Runs that were deleted within a day count too."""
    return Run.with_deleted.filter(Q(agent=agent) | Q(rival=agent)).exists()


def _set_archived(agent: Agent, actor: User | None, action: Action) -> None:
    archived = action == Action.AGENT_ARCHIVED
    with write_transaction():
        if Agent.objects.filter(pk=agent.pk, archived_at__isnull=archived).update(
            archived_at=timezone.now() if archived else None
        ):
            audit_record(organization=agent.organization, actor=actor, action=action, subject=agent.name)
    agent.refresh_from_db(fields=["archived_at"])


def free_slug(agent: Agent, slug: str = "") -> str:
    """A free slug, by default from the name. If an agent or a page of the site has it, a number is added."""
    slug = slug or ascii_slug(agent.name, "agent")
    taken = {*Agent.objects.filter(organization=agent.organization_id).values_list("slug", flat=True), *PAGES}
    return next(free for free in (slug, *(f"{slug}-{n}" for n in range(2, len(taken) + 3))) if free not in taken)


def _set_prices(agent: Agent, entered: tuple[Price, ...], old: Agent | None = None, from_list: bool = False) -> None:
    """Set the price fields. `old` is the agent before the change, None for a new agent."""
    has_any = any(price is not None for price in entered)
    if old and (old.endpoint, old.model) == (agent.endpoint, agent.model) and not from_list:
        # Keep unchanged prices, because setting them again would lose the list's tiers for long inputs, or their date.
        same = entered == tuple(getattr(old, name) for name in PRICES)
        if same if has_any else old.price_source:
            return
    listed = {} if has_any or agent.endpoint is None else listed_prices(agent.endpoint, agent.model)
    if from_list and not listed:
        raise ValidationError("The price list does not know this model at this endpoint's address.")
    set_values(agent, listed or entered_prices(agent.provider, *entered))


def _value_text(agent: Agent, name: str) -> str:
    value = getattr(agent, name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = ", ".join(value) if isinstance(value, dict) else "" if value is None else str(value)
    return text or "none"
