"""OpenAI's Responses API, also of xAI, Azure, Bedrock, Groq and vLLM. Used without state: reasoning goes back encrypted."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from agents.llm import Reply, Request, Sent, Turn, Usage
from agents.providers.formats.wire_format import TIER, TOOL_CHOICE, Plan, WireFormat, dicts_in, model_in, text_in
from agents.providers.wire import PAID_REFUSAL, CallReader, results_in_order, sendable, sendable_name, tokens

ENCRYPTED = "reasoning.encrypted_content"
STOPS = {"max_output_tokens": "max_tokens", "content_filter": "refusal"}


class Responses(WireFormat):
    name, path, chat = "responses", "/responses", "input"
    part_patterns = {
        "tool_choice": TOOL_CHOICE,
        "temperature": r"temperature",
        "max_tokens": r"max_output_tokens",
        "summary": r"reasoning\.summary|summary|summaries",
        "effort": r"reasoning\.effort|reasoning[_ ]?effort|effort",
        "include": r"include|encrypted[_ ]content",
        "strict": r"strict",
        "prompt_cache_key": r"prompt_cache_key",
        "tier": TIER,
    }

    def body(self, plan: Plan) -> tuple[dict[str, Any], Sent]:
        request, takes = plan.request, plan.learned.takes
        body: dict[str, Any] = {"model": plan.options.model, "store": False, "input": list(_items(plan))}
        if request.system:
            body["instructions"] = request.system
        if takes("include"):
            body["include"] = [ENCRYPTED]
        if takes("prompt_cache_key"):
            body["prompt_cache_key"] = hashlib.sha256(f"{request.system}\0{request.prompt}".encode()).hexdigest()[:32]
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.input_schema,
                }
                | ({"strict": False} if takes("strict") else {})
                for tool in request.tools
            ]
        if plan.forced_name:
            body["tool_choice"] = {"type": "function", "name": plan.forced_name}
        elif plan.forced:
            body["tool_choice"] = "required"
        effort = {"effort": plan.options.reasoning_effort} if plan.options.reasoning_effort else {}
        summary = {"summary": "auto"} if plan.asks_for_thinking and takes("summary") else {}
        if effort or summary:
            body["reasoning"] = effort | summary
        limit = plan.limit()
        if limit is not None:
            body["max_output_tokens"] = limit
        thinking = "summary" if summary else ""
        return body | plan.temperature() | plan.service_tier(), plan.sent(self.name, thinking=thinking, limit=limit)

    def read(self, data: dict[str, Any], request: Request) -> Reply | None:
        output, error = data.get("output"), data.get("error")
        code = text_in(error.get("code")) if isinstance(error, dict) else ""
        if not isinstance(output, list) and (output is not None or not text_in(data.get("status"))):
            return None
        items = dicts_in(output)
        reader = CallReader(request.turns)
        calls = tuple(
            reader.read(item.get("call_id"), item.get("name"), item.get("arguments"))
            for item in items
            if item.get("type") == "function_call"
        )
        parts = [part for item in items if item.get("type") == "message" for part in dicts_in(item.get("content"))]
        refusal = "".join(text_in(part.get("refusal")) for part in parts)
        text = "".join(text_in(part.get("text")) for part in parts if part.get("type") == "output_text")
        usage = self.usage(data)
        # If a reply was cut off within its reasoning, that reasoning must not go back.
        ends = (end for end, item in enumerate(items, 1) if item.get("type") != "reasoning")
        whole = items[: max(ends, default=0)]
        return Reply(
            text=text or refusal,
            calls=calls,
            usage=usage,
            stop=_stop(data, refusal=bool(refusal or PAID_REFUSAL.search(code)), calls=bool(calls)),
            model=model_in(data),
            blocks=tuple(whole) if sendable(whole) else (),
            thinking=_thinking(items),
            tier=text_in(data.get("service_tier")),
            changes=_changes_text(data.get("input_transformations")),
        )

    def usage(self, data: dict[str, Any]) -> Usage:
        usage = data.get("usage")
        return Usage(
            input_tokens=tokens(usage, "input_tokens"),
            cached_tokens=tokens(usage, "input_tokens_details", "cached_tokens"),
            cache_write_tokens=tokens(usage, "input_tokens_details", "cache_write_tokens"),
            output_tokens=tokens(usage, "output_tokens"),
            reasoning_tokens=tokens(usage, "output_tokens_details", "reasoning_tokens"),
        )


def _stop(data: dict[str, Any], *, refusal: bool, calls: bool) -> str:
    details = data.get("incomplete_details")
    reason = text_in(details.get("reason")) if isinstance(details, dict) else ""
    return "refusal" if refusal and not calls else STOPS.get(reason, "tool_use" if calls else "end")


def _items(plan: Plan) -> Iterator[dict[str, Any]]:
    yield {"role": "user", "content": plan.request.prompt}
    for turn, prompt, keeps in plan.turns():
        yield from _reply_items(turn, keeps=keeps)
        for result in results_in_order(turn):
            yield {"type": "function_call_output", "call_id": result.call_id, "output": result.text}
        if prompt:
            yield {"role": "user", "content": prompt}


def _reply_items(turn: Turn, *, keeps: bool) -> Iterator[dict[str, Any]]:
    """The items of a reply, unchanged. If its reasoning is left out, so are the ids that refer to it."""
    reply = turn.reply
    if not reply.blocks:
        yield from _rebuilt_items(reply)
        return
    calls = iter(reply.calls)
    for item in reply.blocks:
        kind = item.get("type")
        if kind == "function_call":
            call = next(calls)
            # A call with unreadable arguments goes back without them.
            item = item | {"call_id": call.id, "name": sendable_name(call.name)}
            item = item if call.arguments is not None else item | {"arguments": "{}"}
        if keeps:
            yield item
        elif kind != "reasoning":
            yield {name: value for name, value in item.items() if name != "id"}


def _rebuilt_items(reply: Reply) -> Iterator[dict[str, Any]]:
    """Items for a reply without kept blocks, such as one of another wire format. An empty reply has no items."""
    if reply.text.strip():
        yield {"role": "assistant", "content": reply.text}
    for call in reply.calls:
        arguments = json.dumps(call.arguments or {}, ensure_ascii=False)
        yield {"type": "function_call", "call_id": call.id, "name": sendable_name(call.name), "arguments": arguments}


def _thinking(items: list[dict[str, Any]]) -> str:
    """The summaries of the reasoning; for open models the reasoning itself."""
    reasoning = [item for item in items if item.get("type") == "reasoning"]
    parts = [part for item in reasoning for name in ("summary", "content") for part in dicts_in(item.get(name))]
    return "\n\n".join(filter(None, (text_in(part.get("text")) for part in parts)))


def _changes_text(changes: object) -> str:
    return json.dumps(changes, ensure_ascii=False)[:500] if changes else ""
