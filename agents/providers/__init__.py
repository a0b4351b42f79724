"""How language models are reached, one file a wire format.

Layer: part of `agents`. Each provider turns a `Request` into its wire format and the answer into a `Reply`, and every
failure into ProviderRetry or ProviderFatal. The official SDKs are imported with the first query, never with this
package: they cost seconds and 80 MB that a web process need not pay.
"""

from __future__ import annotations

from agents.addresses import AddressPolicy
from agents.llm import LLM
from agents.options import LLMOptions
from agents.providers.anthropic import Anthropic
from agents.providers.chat import ChatAPI
from agents.providers.openai import OpenAI, OpenAICompatible

PROVIDERS: dict[str, type[ChatAPI]] = {
    "anthropic": Anthropic,
    "openai": OpenAI,
    "openai-compatible": OpenAICompatible,
}


def connect(options: LLMOptions, api_key: str, policy: AddressPolicy | None = None) -> LLM:
    """The model that `options` name, reached with `api_key`, empty where the endpoint needs none.

    policy: which network addresses may be connected to, None for all of them

    Cheap and offline: nothing is imported, checked or sent before the first query, so wrong options show there. The
    object may be shared by threads. Raises KeyError for a provider that is not in PROVIDERS.
    """
    return PROVIDERS[options.provider](options, api_key, policy)
