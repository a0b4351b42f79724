"""Gateways and servers of one's own between an adapter and a model, each with the quirks that its documents name.

with GatewayEmulator(GATEWAYS["azure"]) as emulator: ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from tests.emulators.families import CLAUDE_48, CLAUDE_55, GPT_56, GPT_62, SERVERS
from tests.emulators.model import ChatForm, Model, prices
from tests.emulators.player import Player
from tests.emulators.server import Answer, Emulator

KEY = "sk-gateway-0123456789"
MESSAGES = "/v1/messages"

Headers = dict[str, str]
Refusal = tuple[int, Any]


def error(status: int, message: str, code: str | None = None, kind: str = "invalid_request_error") -> Refusal:
    return status, {"error": {"message": message, "type": kind, "param": None, "code": code}}


@dataclass(frozen=True)
class Gateway:
    """address: the base URL to enter, as docs/gateways.md has it
    provider: the kind of endpoint
    models: those behind it; the id of the first is the model id to enter
    key_headers: headers that may carry the key; none if no key is asked for
    refuses: what it refuses before the model is asked, from path and body
    reads: the body that the model gets
    reasoning: whether the agent is a reasoning model
    """

    address: str
    models: tuple[Model, ...]
    provider: str = "openai-compatible"
    key_headers: tuple[str, ...] = ("authorization",)
    refuses: Callable[[str, dict], Refusal | None] = lambda path, body: None
    reads: Callable[[dict], dict] = dict
    unauthorized: Refusal = field(default_factory=lambda: error(401, "Invalid API key"))
    reasoning: bool = True

    @property
    def path(self) -> str:
        return urlsplit(self.address).path


class GatewayEmulator(Emulator):
    """A gateway before its models."""

    def __init__(self, gateway: Gateway, player: Player | None = None):
        self.gateway = gateway
        super().__init__(gateway.models, player)

    @property
    def base_url(self) -> str:
        return f"{self.url}{self.gateway.path}"

    def _answer(self, method: str, path: str, headers: Headers, body: Any, content: bytes) -> Answer:
        gateway = self.gateway
        if gateway.key_headers and not any(KEY in headers.get(name, "") for name in gateway.key_headers):
            return gateway.unauthorized
        if refusal := gateway.refuses(path, body):
            return refusal
        # The emulated model has a single account for every way of authentication.
        return super()._answer(
            method, path, {**headers, "authorization": f"Bearer {KEY}"}, gateway.reads(body), content
        )


def only_under(*prefixes: str, message: str = "Resource not found") -> Callable[[str, dict], Refusal | None]:
    """Knows no other paths than those below the prefixes."""

    def refuses(path: str, body: dict) -> Refusal | None:
        return None if path.startswith(tuple(f"{prefix}/" for prefix in prefixes)) else error(404, message, "404")

    return refuses


DEPLOYMENT = "The API deployment for this resource does not exist."


def azure(path: str, body: dict) -> Refusal | None:
    if body.get("model") != "my-deployment":
        return error(404, DEPLOYMENT, "DeploymentNotFound")
    return only_under("/openai/v1")(path, body)


ROUTES = {"openai.gpt-5.6-sol": "/openai/v1", "qwen.qwen3-8b": "/v1", "anthropic.claude-opus-5-5": "/anthropic"}
"""Where each model is served at one of Bedrock's addresses."""


def mantle(path: str, body: dict) -> Refusal | None:
    route = ROUTES.get(str(body.get("model")))
    if route is not None and not path.startswith(f"{route}/"):
        return error(400, f"The model '{body['model']}' isn't supported on this route.")
    return None


def llama_cpp(path: str, body: dict) -> Refusal | None:
    """A server that was started without its flag."""
    if body.get("tools"):
        return 500, {"error": {"code": 500, "message": "tools param requires --jinja flag", "type": "server_error"}}
    return None


def without_choice(body: dict) -> dict:
    """Reads no tool_choice and says nothing about it."""
    return {name: value for name, value in body.items() if name != "tool_choice"}


QWEN = Model(
    "qwen.qwen3-8b",
    "vllm",
    ("chat",),
    prices("0", "0"),
    efforts=("low", "medium", "high"),
    effort="medium",
    chat=ChatForm(thinking="reasoning"),
)
OLLAMA = replace(QWEN, id="qwen3:8b", maker="ollama")
SGLANG = replace(QWEN, id="Qwen/Qwen3-8B", chat=ChatForm(thinking="reasoning_content"))
LLAMA_CPP = replace(SGLANG, id="any-name")
OLDER_CLAUDE = replace(CLAUDE_48, id="anthropic.claude-opus-4-6", versions=("2023-06-01",))

GATEWAYS: dict[str, Gateway] = {
    "openrouter": Gateway("https://openrouter.ai/api/v1", (SERVERS["openrouter"],), refuses=only_under("/api/v1")),
    "litellm": Gateway(
        "http://HOST:4000/v1",
        (replace(GPT_62, id="team-gpt"), replace(CLAUDE_48, id="team-claude")),
        refuses=only_under("/v1"),
    ),
    "litellm-messages": Gateway(
        "http://HOST:4000",
        (replace(CLAUDE_48, id="team-claude"),),
        "anthropic",
        key_headers=("authorization", "x-api-key"),
        refuses=only_under("/v1"),
    ),
    "azure": Gateway(
        "https://RESOURCE.openai.azure.com/openai/v1",
        (replace(GPT_62, id="my-deployment", responds_as="gpt-6.2-sol-2026-11-17"),),
        key_headers=("api-key", "authorization"),
        refuses=azure,
        unauthorized=error(401, "Access denied due to invalid subscription key or wrong API endpoint.", "401"),
    ),
    "foundry-claude": Gateway(
        "https://RESOURCE.services.ai.azure.com/anthropic",
        (CLAUDE_55,),
        "anthropic",
        key_headers=("x-api-key", "api-key"),
        refuses=only_under("/anthropic"),
    ),
    "bedrock-runtime": Gateway(
        "https://bedrock-runtime.REGION.amazonaws.com/openai/v1",
        (replace(GPT_56, id="openai.gpt-5.6-sol"),),
        refuses=only_under("/openai/v1"),
    ),
    "bedrock-mantle": Gateway("https://bedrock-mantle.REGION.api.aws/v1", (QWEN,), refuses=mantle),
    "bedrock-claude": Gateway(
        "https://bedrock-mantle.REGION.api.aws/anthropic",
        (replace(CLAUDE_55, id="anthropic.claude-opus-5-5"), OLDER_CLAUDE),
        "anthropic",
        key_headers=("x-api-key", "authorization"),
        refuses=mantle,
    ),
    "vllm": Gateway("http://HOST:8000/v1", (SERVERS["vllm"],), key_headers=(), refuses=only_under("/v1")),
    "sglang": Gateway("http://HOST:30000/v1", (SGLANG,), key_headers=(), refuses=only_under("/v1")),
    "ollama": Gateway(
        "http://HOST:11434/v1", (OLLAMA,), key_headers=(), refuses=only_under("/v1"), reads=without_choice
    ),
    "llama.cpp": Gateway(
        "http://HOST:8080/v1",
        (LLAMA_CPP,),
        key_headers=(),
        reads=lambda body: {**body, "model": LLAMA_CPP.id},
    ),
}
"""By name, with the settings that docs/gateways.md tells to enter."""

LLAMA_CPP_WITHOUT_FLAG = replace(GATEWAYS["llama.cpp"], refuses=llama_cpp)
OVER_BUDGET = error(400, "Budget has been exceeded! Current cost: 1.2, Max budget: 1.0", "400", "budget_exceeded")
"""What LiteLLM's proxy answers when a team or a key has no budget left; newer versions with the status 429."""
