"""Requests to language models and their replies, independent of the provider."""

from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, Self

from environments.base import Tool


@dataclass(frozen=True)
class ToolCall:
    """A tool call of the model. If the arguments are not a JSON object, `arguments` is None and `raw` holds the text."""

    id: str
    name: str
    arguments: dict[str, Any] | None
    raw: str = ""


@dataclass(frozen=True)
class Usage:
    """Tokens of one query.

    `input_tokens` counts all input, of which `cached_tokens` were read from the provider's cache and
    `cache_write_tokens` written to it; `output_tokens` counts all output, of which `reasoning_tokens` were hidden.
    """

    input_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass(frozen=True)
class Reply:
    """A model's reply.

    stop: why the reply ended, one of 'tool_use', 'end', 'max_tokens', 'refusal', 'other'
    model: the exact model id the provider answered with
    blocks: content blocks that the provider wants back unchanged (thinking), else empty
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    stop: str = "tool_use"
    model: str = ""
    blocks: tuple[dict[str, Any], ...] = ()

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        calls = tuple(ToolCall(**call) for call in data["calls"])
        return cls(**data | {"calls": calls, "usage": Usage(**data["usage"]), "blocks": tuple(data["blocks"])})


@dataclass(frozen=True)
class ToolResult:
    """The result of one call. `ignored` marks a call after the action in the same reply."""

    call_id: str
    name: str
    text: str
    is_error: bool = False
    ignored: bool = False

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Turn:
    """One exchange of the chat so far: the model's reply, the results of its calls, and the user text after them."""

    reply: Reply
    results: tuple[ToolResult, ...]
    prompt: str


@dataclass(frozen=True)
class Request:
    """One query: the whole chat of the period and the tools. If there are tools, the model must call one.

    The chat is `system`, the user's `prompt`, then `turns` in order. `key` distinguishes equal queries of one period that
    are asked in separate chats. It is not sent to the provider.
    """

    system: str
    prompt: str
    tools: tuple[Tool, ...]
    turns: tuple[Turn, ...] = ()
    key: str = ""


class LLM(Protocol):
    """Anything that answers requests. Raises ProviderRetry or ProviderFatal of `agents.errors` when it cannot."""

    def query(self, request: Request) -> Reply: ...
