"""The official SDKs, and the first wire format to try at an endpoint.

The SDKs are imported with the first query: importing them costs seconds and 80 MB, which web processes do not need.
"""

import re
from abc import ABC, abstractmethod
from typing import Any, ClassVar
from urllib.parse import quote

import httpx2

from agents.addresses import is_within
from agents.options import EFFORTS, FLEX
from agents.providers.formats.chat_completions import ChatCompletions
from agents.providers.formats.messages import Messages
from agents.providers.formats.responses import Responses
from agents.providers.formats.wire_format import WireFormat
from agents.providers.learned import Learned
from agents.providers.wire import dict_in

WIRES: dict[str, WireFormat] = {wire.name: wire for wire in (ChatCompletions(), Messages(), Responses())}

NO_KEY = "none"
"""The key sent to endpoints without a key, because the SDKs require one."""

RESPONSES_FIRST = ("api.openai.com", "api.x.ai")
"""Hosts, also their regions, with Responses for all models, for some exclusively. Others begin with Chat Completions."""

DAY = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T|$)")
OLDER_VERSION = {"anthropic-version": "2023-06-01"}


class Maker(ABC):
    """A maker's SDK.

    own_url: the maker's own address, used if the endpoint has no base URL
    tiers: the cheaper service tiers available there; a model may refuse some of them
    """

    own_url: ClassVar[str]
    tiers: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def sdk(self, api_key: str, base_url: str, http: httpx2.Client, headers: dict[str, str], *, is_own: bool) -> Any:
        """Make a client of the SDK. It never retries by itself.

        It ignores the environment variables of this process, which may belong to another owner than the key.

        headers: headers of the endpoint; without a key they alone authenticate the requests
        """

    @abstractmethod
    def errors(self) -> type[Exception]:
        """The base error of the SDK."""

    @abstractmethod
    def wire(self, name: str, base_url: str) -> WireFormat:
        """The wire format with this name; the first guess if the name is empty."""

    def base_url(self, entered: str) -> str:
        return entered.strip() or self.own_url

    def is_own(self, entered: str) -> bool:
        """Whether a base URL is the maker's own address."""
        return self.base_url(entered).rstrip("/") == self.own_url.rstrip("/")

    @abstractmethod
    def card_path(self, model: str) -> str:
        """The URL path of the card of a model."""

    @abstractmethod
    def card(self, data: dict[str, Any]) -> dict[str, Any]:
        """The content of a model card as fields of Learned. Unknown and invalid values are left out."""

    def headers(self, learned: Learned, *, is_keyless: bool) -> dict[str, Any]:
        """Extra headers of a request. `is_keyless`: whether it is sent without the SDK's own header for the key."""
        return {}


class OpenAI(Maker):
    own_url = "https://api.openai.com/v1"
    tiers = (FLEX,)

    def sdk(self, api_key: str, base_url: str, http: httpx2.Client, headers: dict[str, str], *, is_own: bool) -> Any:
        import openai

        client = openai.OpenAI(api_key=api_key or NO_KEY, base_url=base_url, http_client=http, max_retries=0)
        client.organization = client.project = client.admin_api_key = None
        client._custom_headers = dict(headers)
        return client

    def card_path(self, model: str) -> str:
        return f"/models/{quote(model, safe='')}"

    def card(self, data: dict[str, Any]) -> dict[str, Any]:
        # The field names are those of OpenRouter and vLLM.
        size = data.get("context_length") or data.get("max_model_len")
        return counts(most_input=size) | days(retires_on=data.get("shutdown_date"))

    def errors(self) -> type[Exception]:
        import openai

        error: type[Exception] = openai.OpenAIError
        return error

    def headers(self, learned: Learned, *, is_keyless: bool) -> dict[str, Any]:
        import openai

        # Without this header the SDK refuses to send, unless each request omits it explicitly.
        return {"Authorization": openai.Omit()} if is_keyless else {}

    def wire(self, name: str, base_url: str) -> WireFormat:
        first = "responses" if any(is_within(base_url, host) for host in RESPONSES_FIRST) else "chat"
        return WIRES[name or first]


class Anthropic(Maker):
    own_url = "https://api.anthropic.com"

    def base_url(self, entered: str) -> str:
        # The SDK adds the version, but people often enter it as part of the address.
        return super().base_url(entered).rstrip("/").removesuffix("/v1")

    def sdk(self, api_key: str, base_url: str, http: httpx2.Client, headers: dict[str, str], *, is_own: bool) -> Any:
        import anthropic

        key = api_key or NO_KEY
        client = anthropic.Anthropic(
            api_key=key, base_url=base_url, http_client=http, max_retries=0, open_telemetry=False
        )
        # The SDK's own argument for headers is not used: it would add those of ANTHROPIC_CUSTOM_HEADERS, which may hold a
        # secret. The SDK sends the key as a bearer token, but compatible servers often read the older header.
        sent = {} if is_own else {"X-Api-Key": key}
        client._custom_headers = ({"Authorization": anthropic.Omit()} if headers and not api_key else sent) | headers
        return client

    def card_path(self, model: str) -> str:
        return f"/v1/models/{quote(model, safe='')}"

    def card(self, data: dict[str, Any]) -> dict[str, Any]:
        efforts = dict_in(dict_in(data.get("capabilities")).get("effort"))
        names = tuple(name for name in EFFORTS if dict_in(efforts.get(name)).get("supported") is True)
        read = counts(most_input=data.get("max_input_tokens"), most_output=data.get("max_tokens"))
        return read | days(retires_on=data.get("retires_at")) | ({"efforts": names} if names else {})

    def errors(self) -> type[Exception]:
        import anthropic

        error: type[Exception] = anthropic.AnthropicError
        return error

    def wire(self, name: str, base_url: str) -> WireFormat:
        return WIRES["messages"]

    def headers(self, learned: Learned, *, is_keyless: bool) -> dict[str, Any]:
        return {} if learned.takes("version") else OLDER_VERSION


def counts(**values: Any) -> dict[str, int]:
    """Return the values that are valid token counts."""
    return {name: value for name, value in values.items() if type(value) is int and value > 0}


def days(**values: Any) -> dict[str, str]:
    """Return the values that begin with a day, cut to YYYY-MM-DD."""
    return {name: value[:10] for name, value in values.items() if isinstance(value, str) and DAY.match(value)}


MAKERS: dict[str, Maker] = {"anthropic": Anthropic(), "openai": OpenAI(), "openai-compatible": OpenAI()}
