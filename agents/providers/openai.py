"""OpenAI's Chat Completions API and compatible endpoints: Google, xAI, vLLM, Ollama, llama.cpp and others."""

import json
from typing import Any, ClassVar

import httpx2

from agents.llm import Reply, Request, ToolCall, Turn, Usage
from agents.providers import faults
from agents.providers.chat import ChatAPI
from agents.providers.wire import (
    EMPTY_REPLY,
    CallReader,
    complaint_of,
    results_in_order,
    sendable,
    sendable_name,
    tokens,
)

STOPS = {
    "stop": "end",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}
KEPT = ("reasoning_content", "reasoning_details")
"""Fields of a reply that some reasoning models want back with it (DeepSeek, Moonshot, OpenRouter)."""

KEPT_OF_CALL = "extra_content"
"""The same for a single call (Google's thought signatures)."""


class OpenAI(ChatAPI):
    own_url = "https://api.openai.com/v1"
    path = "/chat/completions"
    caps: ClassVar[tuple[str, ...]] = ("max_completion_tokens", "max_tokens")

    def sdk(self, *, api_key: str, base_url: str, http: httpx2.Client) -> Any:
        import openai

        self.errors = (openai.OpenAIError,)
        client = openai.OpenAI(api_key=api_key, base_url=base_url, http_client=http, max_retries=0)
        # The SDK takes these from the environment of this process, which may belong to another owner than the key.
        client.organization = client.project = client.admin_api_key = None
        client._custom_headers = {}
        return client

    def body(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.options.model, "messages": self._messages(request)}
        optional = self.temperature()
        # The API refuses an empty list of tools, and `tool_choice` without tools.
        if request.tools:
            described = [
                {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
                for tool in request.tools
            ]
            body["tools"] = [{"type": "function", "function": function} for function in described]
            optional["tool_choice"] = "required"
        if self.options.reasoning_effort:
            optional["reasoning_effort"] = self.options.reasoning_effort
        cap = next(filter(self.takes, self._caps), None)
        if self.options.max_tokens is not None and cap:
            optional[cap] = self.options.max_tokens
        return body | {name: value for name, value in optional.items() if self.takes(name)}

    @property
    def _caps(self) -> tuple[str, ...]:
        return OpenAI.caps if self.options.reasoning else self.caps

    def adapt(self, body: dict[str, Any], failure: faults.Failure) -> bool:
        sent = tuple(name for name in ("temperature", "tool_choice", *self._caps, "reasoning_effort") if name in body)
        return self.drop_refused(sent + tuple(filter(self.takes, (*KEPT, KEPT_OF_CALL))), failure)

    def _messages(self, request: Request) -> list[dict[str, Any]]:
        messages = [{"role": "system", "content": request.system}] if request.system else []
        messages.append({"role": "user", "content": request.prompt})
        for turn in request.turns:
            messages.append(self._assistant(turn))
            messages += [
                {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
                for result in results_in_order(turn)
            ]
            if turn.prompt:
                messages.append({"role": "user", "content": turn.prompt})
        return messages

    def _assistant(self, turn: Turn) -> dict[str, Any]:
        reply = turn.reply
        kept = reply.blocks[0] if reply.blocks else {}
        message: dict[str, Any] = {"role": "assistant", "content": reply.text if reply.text.strip() else None}
        message |= {name: kept[name] for name in KEPT if name in kept and self.takes(name)}
        if not reply.calls:
            return message | {"content": reply.text if reply.text.strip() else EMPTY_REPLY}
        extras = kept.get(KEPT_OF_CALL, {}) if self.takes(KEPT_OF_CALL) else {}
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": sendable_name(call.name),
                    "arguments": json.dumps(call.arguments or {}, ensure_ascii=False),
                },
            }
            | ({KEPT_OF_CALL: extras[call.id]} if call.id in extras else {})
            for call in reply.calls
        ]
        return message

    def read(self, data: dict[str, Any], request: Request) -> Reply:
        choices = data.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise faults.unreadable(self._endpoint, "a body that holds no reply")
        if choice.get("error"):
            told = complaint_of(json.dumps(choice)).message
            raise faults.unreadable(self._endpoint, "an error instead of a reply", told)
        reader = CallReader(request.turns)
        parts = _dicts(message.get("tool_calls"))
        functions = [part["function"] if isinstance(part.get("function"), dict) else {} for part in parts]
        calls = tuple(
            reader.read(part.get("id"), function.get("name"), function.get("arguments"))
            for part, function in zip(parts, functions, strict=True)
        )
        refusal = message.get("refusal")
        stop = "refusal" if refusal else STOPS.get(str(choice.get("finish_reason")), "other")
        if calls and stop == "end":
            stop = "tool_use"
        return Reply(
            text=_text(message.get("content")) or _text(refusal),
            calls=calls,
            usage=_usage(data.get("usage")),
            stop=stop,
            model=self.model_in(data),
            blocks=_kept(message, parts, calls),
        )


class OpenAICompatible(OpenAI):
    """An endpoint of the user. Most know only the older name of the output cap."""

    caps = ("max_tokens", "max_completion_tokens")


def _dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(content: object) -> str:
    """Text of a message. Some endpoints send a list of parts, where thinking has no text."""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in _dicts(content) if isinstance(part.get("text"), str))


def _kept(
    message: dict[str, Any], parts: list[dict[str, Any]], calls: tuple[ToolCall, ...]
) -> tuple[dict[str, Any], ...]:
    kept = {name: message[name] for name in KEPT if message.get(name)}
    extras = {call.id: part[KEPT_OF_CALL] for call, part in zip(calls, parts, strict=True) if part.get(KEPT_OF_CALL)}
    if extras:
        kept[KEPT_OF_CALL] = extras
    return (kept,) if kept and sendable(kept) else ()


def _usage(usage: object) -> Usage:
    """Some endpoints (Google, xAI) leave hidden reasoning out of `completion_tokens` but count it in the total."""
    prompt, visible = tokens(usage, "prompt_tokens"), tokens(usage, "completion_tokens")
    reasoning = tokens(usage, "completion_tokens_details", "reasoning_tokens")
    output = max(visible, tokens(usage, "total_tokens") - prompt)
    return Usage(
        input_tokens=prompt,
        cached_tokens=tokens(usage, "prompt_tokens_details", "cached_tokens")
        or tokens(usage, "prompt_cache_hit_tokens"),
        output_tokens=output,
        reasoning_tokens=max(reasoning, output - visible),
    )
