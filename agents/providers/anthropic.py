"""Anthropic's Messages API, with prompt caching on tools, system prompt and the growing chat."""

import re
from typing import Any

import httpx2

from agents.llm import Reply, Request, Usage
from agents.providers import faults
from agents.providers.chat import ChatAPI
from agents.providers.wire import EMPTY_REPLY, CallReader, results_in_order, sendable, sendable_name, tokens

MAX_TOKENS = 20_000
"""Default of the cap that the API requires; well above what one reply needs."""

STOPS = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool_use",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "refusal": "refusal",
}
OF_CALL = ("id", "name", "input")
THINKING = ("thinking", "redacted_thinking")
CACHED = {"cache_control": {"type": "ephemeral"}}
OPTIONAL = ("temperature", "tool_choice", "output_config")
OVER_LIMIT = re.compile(r"max_tokens: \d+ > (\d+)")


class Anthropic(ChatAPI):
    own_url = "https://api.anthropic.com"
    path = "/v1/messages"

    _limit = 0
    """The model's own cap on output, once the provider has named it."""

    @property
    def base_url(self) -> str:
        # The SDK adds the version; people often enter it with the address of an endpoint.
        return super().base_url.rstrip("/").removesuffix("/v1")

    def sdk(self, *, api_key: str, base_url: str, http: httpx2.Client) -> Any:
        import anthropic

        self.errors = (anthropic.AnthropicError,)
        # The SDK sends the key as a bearer token; compatible servers often read the older header.
        headers = {"X-Api-Key": api_key} if self.options.base_url else {}
        client = anthropic.Anthropic(
            api_key=api_key, base_url=base_url, http_client=http, max_retries=0, open_telemetry=False
        )
        # Not by its argument: the SDK would add the headers of ANTHROPIC_CUSTOM_HEADERS, which may hold a secret.
        client._custom_headers = headers
        return client

    def body(self, request: Request) -> dict[str, Any]:
        tools: list[dict[str, Any]] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
            for tool in request.tools
        ]
        if tools:
            tools[-1] |= CACHED
        body: dict[str, Any] = {
            "model": self.options.model,
            "max_tokens": self._limit or self.options.max_tokens or MAX_TOKENS,
            "messages": _messages(request),
        }
        optional = self.temperature()
        if self.options.reasoning_effort:
            optional["output_config"] = {"effort": self.options.reasoning_effort}
        # Some servers refuse an empty list of tools.
        if tools:
            body["tools"] = tools
            optional["tool_choice"] = {"type": "any"}
        if request.system:
            body["system"] = [_text_block(request.system) | CACHED]
        return body | {name: value for name, value in optional.items() if self.takes(name)}

    def adapt(self, body: dict[str, Any], failure: faults.Failure) -> bool:
        limit = OVER_LIMIT.search(failure.complaint.message) if failure.status == 400 else None
        if limit and 0 < int(limit[1]) < body["max_tokens"]:
            self._limit = int(limit[1])
            return True
        return self.drop_refused(tuple(name for name in OPTIONAL if name in body), failure)

    def read(self, data: dict[str, Any], request: Request) -> Reply:
        content = data.get("content")
        if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
            raise faults.unreadable(self._endpoint, "a body that holds no reply")
        reader = CallReader(request.turns)
        uses = [block for block in content if block.get("type") == "tool_use"]
        texts = [block.get("text") for block in content if block.get("type") == "text"]
        # A block to send back unchanged. Of a call only the position is kept; its content is in the reply's calls.
        kept = tuple(
            {name: value for name, value in block.items() if block.get("type") != "tool_use" or name not in OF_CALL}
            for block in content
        )
        thinks = any(block.get("type") in THINKING for block in content)
        return Reply(
            text="".join(text for text in texts if isinstance(text, str)),
            calls=tuple(reader.read(use.get("id"), use.get("name"), use.get("input")) for use in uses),
            usage=_usage(data.get("usage")),
            stop=STOPS.get(str(data.get("stop_reason")), "other"),
            model=self.model_in(data),
            blocks=kept if thinks and sendable(kept) else (),
        )


def _messages(request: Request) -> list[dict[str, Any]]:
    users = [[_text_block(request.prompt)]]
    for turn in request.turns:
        blocks: list[dict[str, Any]] = [
            {"type": "tool_result", "tool_use_id": result.call_id, "content": result.text}
            | ({"is_error": True} if result.is_error else {})
            for result in results_in_order(turn)
        ]
        users.append([*blocks, _text_block(turn.prompt)] if turn.prompt.strip() or not blocks else blocks)
    # The last marker writes this chat to the cache, the one before reads the chat of the previous query from it.
    for user in users[-2:]:
        user[-1] |= CACHED
    messages: list[dict[str, Any]] = [{"role": "user", "content": users[0]}]
    for turn, user in zip(request.turns, users[1:], strict=True):
        messages += [{"role": "assistant", "content": _assistant(turn.reply)}, {"role": "user", "content": user}]
    return messages


def _assistant(reply: Reply) -> list[dict[str, Any]]:
    uses = iter(
        {"type": "tool_use", "id": call.id, "name": sendable_name(call.name), "input": call.arguments or {}}
        for call in reply.calls
    )
    if reply.blocks:
        blocks = [block | next(uses) if block.get("type") == "tool_use" else block for block in reply.blocks]
    else:
        blocks = [_text_block(reply.text), *uses]
    # The API takes no blank text, though models write it.
    blocks = [block for block in blocks if block.get("type") != "text" or str(block.get("text")).strip()]
    return blocks if any(block.get("type") not in THINKING for block in blocks) else [*blocks, _text_block(EMPTY_REPLY)]


def _text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _usage(usage: object) -> Usage:
    """The API counts cached input separately."""
    cached, written = tokens(usage, "cache_read_input_tokens"), tokens(usage, "cache_creation_input_tokens")
    return Usage(
        input_tokens=tokens(usage, "input_tokens") + cached + written,
        cached_tokens=cached,
        cache_write_tokens=written,
        output_tokens=tokens(usage, "output_tokens"),
        reasoning_tokens=tokens(usage, "output_tokens_details", "thinking_tokens"),
    )
