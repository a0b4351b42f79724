"""Which endpoints have batches."""

from agents.options import LLMOptions
from agents.providers.batches.anthropic import AnthropicBatches
from agents.providers.batches.interface import Batches
from agents.providers.batches.openai import OpenAIBatches
from agents.providers.makers import MAKERS, Anthropic, OpenAI


def batches_of(options: LLMOptions) -> type[Batches] | None:
    """The batches of an agent's maker; None for endpoints other than OpenAI's and Anthropic's own."""
    maker = MAKERS[options.provider]
    if not maker.is_own(options.base_url):
        return None
    return {OpenAI: OpenAIBatches, Anthropic: AnthropicBatches}[type(maker)]
