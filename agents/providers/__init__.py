"""Providers of language models, one file for each wire format.

A provider turns a `Request` into its wire format, the answer into a `Reply`, and every failure into ProviderRetry or
ProviderFatal. The SDKs are imported with the first query: importing them costs seconds and 80 MB, which web processes
do not need.
"""

from agents.addresses import AddressPolicy
from agents.options import LLMOptions
from agents.providers.anthropic import Anthropic
from agents.providers.chat import ChatAPI
from agents.providers.openai import OpenAI, OpenAICompatible

PROVIDERS: dict[str, type[ChatAPI]] = {"anthropic": Anthropic, "openai": OpenAI, "openai-compatible": OpenAICompatible}


def connect(options: LLMOptions, api_key: str, policy: AddressPolicy | None = None) -> ChatAPI:
    """The model of `options`. Raises KeyError for a provider that is not in PROVIDERS.

    api_key: empty if the endpoint needs none
    policy: allowed network addresses, None for all

    Cheap and offline: nothing is imported, checked or sent before the first query. Threads may share the result.
    """
    return PROVIDERS[options.provider](options, api_key, policy)
