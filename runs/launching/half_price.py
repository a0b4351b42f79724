"""Launches whose models answer at half the price: surveys by the batches of their makers, runs by the service tier flex."""

from collections.abc import Sequence

from agents.options import FLEX
from agents.providers.batches import batches_of
from agents.providers.makers import MAKERS
from environments.registry import ENVIRONMENTS, SURVEYS
from runs.engine.players import options_of
from runs.models import Agent


def has_batches(agent: Agent) -> bool:
    """Whether an agent can be asked by batch: a model at OpenAI's or Anthropic's own address."""
    return agent.endpoint is not None and not agent.is_baseline and batches_of(options_of(agent)) is not None


def has_flex(agent: Agent) -> bool:
    """Whether an agent may be asked by flex: at OpenAI's own address. Its first call says whether the model has this tier."""
    if agent.endpoint is None or agent.is_baseline:
        return False
    maker = MAKERS[agent.endpoint.provider]
    return FLEX in maker.tiers and maker.is_own(agent.endpoint.base_url)


def flex_error(agents: Sequence[Agent], rival: Agent | None, *, batch: bool) -> str:
    """Why a launch cannot be asked by flex, in one sentence; empty if it can. Baselines play as usual."""
    if batch:
        return "A batch is at half the price already; choose one of the two."
    models = [agent for agent in (*agents, rival) if agent is not None and not agent.is_baseline]
    for agent in models:
        if not has_flex(agent):
            return f"{agent.name} is not asked by flex: its endpoint is not OpenAI's own."
        if "service_tier" in agent.extra_parameters:
            return f"{agent.name} names a service_tier among its extra parameters; leave it out there to choose flex."
    return "" if models else "Only models are asked by flex, and none is chosen."


def batch_error(environments: Sequence[str], agents: Sequence[Agent]) -> str:
    """Why a launch cannot be asked by batch, in one sentence; empty if it can. Baselines play as usual."""
    models = [agent for agent in agents if not agent.is_baseline]
    for name in environments:
        if name not in SURVEYS:
            return f"Only surveys are asked by batch, and {ENVIRONMENTS[name].title} is not a survey."
    for agent in models:
        if not has_batches(agent):
            return f"{agent.name} is not asked by batch: its endpoint is not OpenAI's or Anthropic's own."
    return "" if models else "Only models are asked by batch, and none is chosen."
