"""Requests to language models and their replies, independent of the provider."""

from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, Self

from agents.options import FLEX
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

    `input_tokens` counts all input. Of these, `cached_tokens` were read from the provider's cache, and
    `cache_write_tokens` were written to it, `cache_hour_tokens` of them for an hour. `output_tokens` counts all output,
    `reasoning_tokens` of them thinking. If the provider gives no count, it is an upper bound, and `estimated`.
    """

    input_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cache_hour_tokens: int = 0
    estimated: bool = False


@dataclass(frozen=True)
class Sent:
    """How a query was sent. Runs whose queries were sent differently are not pooled.

    wire: the wire format, 'chat', 'messages' or 'responses'; empty in journals of earlier versions, which sent 'chat' or
        'messages'
    forced: whether the model had to call a tool
    effort: empty for the provider's default
    thinking: the type of thinking requested, such as 'adaptive'; empty if none was
    max_tokens: the output limit, None for the provider's default
    left_out: optional fields that the provider refuses, such as 'temperature'
    without_thinking: whether earlier thinking was left out of the chat, because the provider refused to read it
    service_tier: the requested tier, empty for the provider's default
    """

    wire: str = ""
    forced: bool = True
    effort: str = ""
    thinking: str = ""
    max_tokens: int | None = None
    left_out: tuple[str, ...] = ()
    without_thinking: bool = False
    service_tier: str = ""


@dataclass(frozen=True)
class Reply:
    """A model's reply.

    stop: why the reply ended, one of 'tool_use', 'end', 'max_tokens', 'refusal', 'invalid', 'other'
    model: the exact model id in the provider's answer
    blocks: content that must go back to the provider unchanged (thinking, signatures); may be empty
    thinking: the readable thinking, often a summary
    tier: the service tier that answered, empty if the provider does not say
    upstream: the provider behind a router that answered, empty if the answer does not name one
    changes: what the provider left out of the chat, in its own words
    fault: for `stop` 'invalid', why the provider refused the model's output
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    stop: str = "tool_use"
    model: str = ""
    blocks: tuple[dict[str, Any], ...] = ()
    thinking: str = ""
    tier: str = ""
    upstream: str = ""
    changes: str = ""
    fault: str = ""
    sent: Sent = Sent()

    @property
    def is_by_flex(self) -> bool:
        """Whether the tier FLEX was requested and used. A provider may use another tier instead, at the price of that."""
        return self.sent.service_tier == self.tier == FLEX

    def as_json(self) -> dict[str, Any]:
        # `asdict` would copy every block of the thinking.
        return vars(self) | {
            "calls": [vars(call) for call in self.calls],
            "usage": vars(self.usage),
            "sent": vars(self.sent),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read a reply from a journal. Fields that journals of earlier versions lack get their defaults."""
        sent = dict(data.get("sent", {}))
        return cls(
            **data
            | {
                "calls": tuple(ToolCall(**call) for call in data["calls"]),
                "usage": Usage(**data["usage"]),
                "blocks": tuple(data["blocks"]),
                "sent": Sent(**sent | {"left_out": tuple(sent.get("left_out", ()))}),
            }
        )


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

    The chat is `system`, the user's `prompt`, then `turns` in order.

    key: distinguishes equal queries of one period in separate chats; it is not sent to the provider
    only: the name of the only tool that counts, empty if all count
    only_prompt: the same in words, for models that cannot be forced to call that tool
    """

    system: str
    prompt: str
    tools: tuple[Tool, ...]
    turns: tuple[Turn, ...] = ()
    key: str = ""
    only: str = ""
    only_prompt: str = ""


class LLM(Protocol):
    """Anything that answers requests. Raises ProviderRetry or ProviderFatal of `agents.llm` when it cannot."""

    def query(self, request: Request) -> Reply: ...


class ProviderRetry(Exception):
    """Temporary error: rate limit, overload, timeout, dropped connection, unreadable body.

    reason: one plain sentence for a person
    retry_after: seconds the provider asked to wait, None if it did not say
    may_be_billed: whether the provider may bill the query; False if it refused the query or was not reached
    limited: whether the provider asked for fewer requests (rate limit, overload)
    kind: 'limit' for a rate limit, 'timeout' for a late answer, 'capacity' for a service tier without capacity, 'endpoint'
        for everything else
    usage: the tokens that the provider bills, None if it does not say
    """

    def __init__(
        self,
        reason: str,
        *,
        retry_after: float | None = None,
        may_be_billed: bool = True,
        limited: bool = False,
        kind: str = "endpoint",
        usage: Usage | None = None,
    ):
        super().__init__(reason)
        self.reason, self.kind, self.retry_after = reason, kind, retry_after
        self.may_be_billed, self.limited, self.usage = may_be_billed, limited, usage


class ProviderFatal(Exception):
    """Permanent error that a person must fix: wrong key, unknown model, no credit, context too long.

    kind: 'key', 'credit', 'forbidden', 'model', 'context', 'request', or 'address' for an address that is not allowed
    reason: one plain sentence for a person, with the provider's own message
    usage: the tokens that the provider bills, None for nothing
    of_model: whether the error is about the model only, so that other models may still be used with the key
    """

    def __init__(self, kind: str, reason: str, *, usage: Usage | None = None, of_model: bool = False):
        super().__init__(reason)
        self.kind, self.reason, self.usage, self.of_model = kind, reason, usage, of_model
