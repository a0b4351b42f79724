"""Agents that the command line names: an existing slug, or PROVIDER:MODEL[@BASE_URL], which creates an agent."""

import hashlib
import os

from django.core.exceptions import ValidationError

from accounts.models import Endpoint, Organization, Provider
from accounts.services.endpoints import ENVIRONMENT_KEYS, endpoint_create, endpoint_set_key
from runs.launching.plan import LaunchError
from runs.models import Agent
from runs.services.catalog import listed_prices


def agent_from_text(text: str, organization: Organization, key_variable: str = "") -> Agent:
    """The agent with this slug, or a new one. Raises LaunchError for the field agents.

    The key of a new agent is read here and stored encrypted, so that workers in other processes have it.
    """
    agents = Agent.objects.filter(Agent.playable(), organization=organization).select_related("endpoint")
    if existing_agent := agents.filter(slug=text).first():
        return existing_agent
    provider, separator, rest = text.partition(":")
    if not separator or provider not in Provider.values:
        slugs = ", ".join(agents.filter(archived_at=None).values_list("slug", flat=True))
        raise LaunchError({"agents": f"There is no agent {text!r}. Write a slug ({slugs}) or PROVIDER:MODEL@BASE_URL."})
    model, _, base_url = rest.partition("@")
    if not model or (provider == Provider.COMPATIBLE and not base_url):
        raise LaunchError({"agents": f"{text!r} is incomplete; write openai-compatible:MODEL@BASE_URL."})
    endpoint = _endpoint(organization, provider, base_url, key_variable)
    agent, _ = Agent.objects.get_or_create(
        organization=organization,
        slug=text[:200],
        defaults={"name": model[:100], "provider": provider, "model": model, "endpoint": endpoint}
        | listed_prices(endpoint, model),
    )
    return agent


def _endpoint(organization: Organization, provider: str, base_url: str, key_variable: str) -> Endpoint:
    # An endpoint of this provider may have another address, which must not get the key.
    own = Endpoint.objects.filter(organization=organization, provider=provider, base_url=base_url.rstrip("/"))
    if not base_url and not key_variable:
        if endpoint := own.order_by("id").first():
            return endpoint
        raise LaunchError({"agents": f"No endpoint has {Provider(provider).label}'s own address. Add one first."})
    variable = key_variable or ENVIRONMENT_KEYS.get(Provider(provider), ENVIRONMENT_KEYS[Provider.OPENAI])
    key = os.environ.get(variable, "").strip()
    if key_variable and not key:
        raise LaunchError({"agents": f"The variable {key_variable} is empty; it should hold the key."})
    name = f"{base_url or Provider(provider).label} {hashlib.sha256(f'{base_url} {variable}'.encode()).hexdigest()[:6]}"
    try:
        endpoint = own.filter(name=name[-100:]).first() or endpoint_create(
            organization=organization, name=name[-100:], provider=provider, base_url=base_url
        )
        if key:
            endpoint_set_key(endpoint=endpoint, key=key)
    except ValidationError as error:
        raise LaunchError({"agents": " ".join(error.messages)}) from None
    return endpoint
