"""Launches of surveys whose questions are asked by the batches of their models' makers."""

from collections.abc import Sequence

from agents.providers.batches.makers import batches_of
from environments.registry import ENVIRONMENTS, SURVEYS
from runs.engine.players import options_of
from runs.models import Agent


def has_batches(agent: Agent) -> bool:
    """Whether an agent can be asked by batch: a model at OpenAI's or Anthropic's own address."""
    return agent.endpoint is not None and not agent.is_baseline and batches_of(options_of(agent)) is not None


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
