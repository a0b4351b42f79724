"""The official SDKs, and which wire format an endpoint is asked in first.

The SDKs are imported with the first query: importing them costs seconds and 80 MB, which web processes do not need.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import httpx2

from agents.learned import Learned
from agents.providers.chat_completions import ChatCompletions
from agents.providers.messages import Messages
from agents.providers.responses import Responses
from agents.providers.wire_format import WireFormat

WIRES: dict[str, WireFormat] = {wire.name: wire for wire in (ChatCompletions(), Messages(), Responses())}

NO_KEY = "none"
"""Sent to endpoints without a key, because the SDKs require one."""

RESPONSES_FIRST = ("api.openai.com", "api.x.ai")
"""Hosts that serve every model by Responses, and some only so. Others are asked by Chat Completions first."""

OLDER_VERSION = {"anthropic-version": "2023-06-01"}


class Maker(ABC):
    """A maker's SDK. own_url: the address without a base URL of the endpoint"""

    own_url: ClassVar[str]

    @abstractmethod
    def sdk(self, api_key: str, base_url: str, http: httpx2.Client, *, is_own: bool) -> Any:
        """A client that never retries by itself and takes nothing from the environment of this process, which may belong
        to another owner than the key."""

    @abstractmethod
    def errors(self) -> type[Exception]:
        """The base error of the SDK."""

    @abstractmethod
    def wire(self, asked: str, base_url: str) -> WireFormat:
        """The wire format of a name, or of the first guess if it is empty."""

    def base_url(self, entered: str) -> str:
        return entered.strip() or self.own_url

    def headers(self, learned: Learned) -> dict[str, str]:
        """Headers of a request besides those of the SDK."""
        return {}


class OpenAI(Maker):
    own_url = "https://api.openai.com/v1"

    def sdk(self, api_key: str, base_url: str, http: httpx2.Client, *, is_own: bool) -> Any:
        import openai

        client = openai.OpenAI(api_key=api_key or NO_KEY, base_url=base_url, http_client=http, max_retries=0)
        client.organization = client.project = client.admin_api_key = None
        client._custom_headers = {}
        return client

    def errors(self) -> type[Exception]:
        import openai

        error: type[Exception] = openai.OpenAIError
        return error

    def wire(self, asked: str, base_url: str) -> WireFormat:
        first = "responses" if httpx2.URL(base_url).host in RESPONSES_FIRST else "chat"
        return WIRES[asked or first]


class Anthropic(Maker):
    own_url = "https://api.anthropic.com"

    def base_url(self, entered: str) -> str:
        # The SDK adds the version; people often enter it with the address of an endpoint.
        return super().base_url(entered).rstrip("/").removesuffix("/v1")

    def sdk(self, api_key: str, base_url: str, http: httpx2.Client, *, is_own: bool) -> Any:
        import anthropic

        key = api_key or NO_KEY
        client = anthropic.Anthropic(
            api_key=key, base_url=base_url, http_client=http, max_retries=0, open_telemetry=False
        )
        # Not by its argument: the SDK would add the headers of ANTHROPIC_CUSTOM_HEADERS, which may hold a secret. The SDK
        # sends the key as a bearer token; compatible servers often read the older header.
        client._custom_headers = {} if is_own else {"X-Api-Key": key}
        return client

    def errors(self) -> type[Exception]:
        import anthropic

        error: type[Exception] = anthropic.AnthropicError
        return error

    def wire(self, asked: str, base_url: str) -> WireFormat:
        return WIRES["messages"]

    def headers(self, learned: Learned) -> dict[str, str]:
        return {} if learned.takes("version") else OLDER_VERSION


MAKERS: dict[str, Maker] = {"anthropic": Anthropic(), "openai": OpenAI(), "openai-compatible": OpenAI()}
