"""Build the client that answers the queries of an agent: a baseline, or a model behind an endpoint."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from accounts.addresses import address_policy
from accounts.secrets import KeyUnreadable
from accounts.services.endpoints import endpoint_headers, endpoint_key
from agents.baselines.base import BaselineLLM
from agents.baselines.registry import BASELINES
from agents.llm import ProviderFatal
from agents.options import FLEX, FLEX_SECONDS, LLMOptions
from agents.providers.client import Client
from agents.providers.learned import Learned
from environments.base import Environment
from runs.models import Agent

_client = lru_cache(maxsize=256)(Client)


def options_of(agent: Agent, *, flex: bool = False) -> LLMOptions:
    """The options of the client of an agent's model. `flex` asks for the service tier FLEX."""
    assert agent.endpoint is not None
    by_flex: dict[str, Any] = {"service_tier": FLEX, "timeout_seconds": FLEX_SECONDS} if flex else {}
    return LLMOptions(
        provider=agent.endpoint.provider,
        model=agent.model,
        base_url=agent.endpoint.base_url,
        reasoning=agent.reasoning,
        temperature=None if agent.reasoning else agent.temperature,
        max_tokens=agent.max_tokens,
        reasoning_effort=agent.reasoning_effort,
        extra_parameters=agent.extra_parameters,
        **by_flex,
    )


def baseline_llm(agent: Agent, environment: Environment, seat: str, repeat: int) -> BaselineLLM:
    """The client of a baseline in the current period. repeat: see Run"""
    baseline = BASELINES[agent.baseline](environment.instance, type(environment), seat, environment.variant)
    baseline.repeat = repeat
    return BaselineLLM(baseline, environment.period)


def connected_llm(
    agent: Agent,
    *,
    wire: str = "",
    flex: bool = False,
    with_effort: bool = True,
    timeout_seconds: float | None = None,
) -> Client:
    """The client of an agent's model. Raises ProviderFatal if there is no usable key.

    wire: the wire format in which a run began; empty for the provider's choice
    flex: whether to ask for the service tier FLEX
    with_effort: whether to send the agent's effort; if not, the provider's default applies
    timeout_seconds: total time of one query; None for the time-out of runs
    """
    assert agent.endpoint is not None
    try:
        key, headers = endpoint_key(agent.endpoint), endpoint_headers(agent.endpoint)
    except KeyUnreadable as error:
        raise ProviderFatal("key", f"{agent.endpoint.name}: {error}") from None
    if not key and not agent.endpoint.base_url:
        raise ProviderFatal("key", f"There is no key for {agent.endpoint.name} yet. Add one on the Agents page.")
    # Addresses that users typed are checked at every connection. Those of known providers come from our code.
    changes: dict[str, Any] = {} if timeout_seconds is None else {"timeout_seconds": timeout_seconds}
    options = replace(options_of(agent, flex=flex), **changes | ({} if with_effort else {"reasoning_effort": ""}))
    client = _client(options, key, address_policy() if agent.endpoint.base_url else None, wire=wire, headers=headers)
    # Read the agent's row: other processes may have learned more, or a person may have deleted what was learned.
    client.learned = Learned.from_json(agent.learned)
    return client
