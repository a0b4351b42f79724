"""OpenAI's Responses API, also of xAI, Azure, Bedrock, Groq and vLLM. Used without state: reasoning goes back encrypted."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from agents.llm import Reply, Request, Sent, Usage
from agents.providers import wire
from agents.providers.complaints import PAID_REFUSAL
from agents.providers.formats.wire_format import TIER, TOOL_CHOICE, Plan, WireFormat, present

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
        limit = plan.limit()
        tools = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.input_schema,
            }
            | ({"strict": False} if takes("strict") else {})
            for tool in request.tools
        ]
        chat_hash = hashlib.sha256(f"{request.system}\0{request.prompt}".encode()).hexdigest()
        summary = "auto" if plan.asks_for_thinking and takes("summary") else ""
        body = {"model": plan.options.model, "store": False, "input": list(_items(plan))} | present(
            instructions=request.system,
            include=[ENCRYPTED] if takes("include") else [],
            prompt_cache_key=chat_hash[:32] if takes("prompt_cache_key") else "",
            tools=tools,
            tool_choice=plan.tool_choice({"type": "function", "name": plan.forced_name}, "required"),
            reasoning=present(effort=plan.options.reasoning_effort, summary=summary),
            max_output_tokens=limit,
            temperature=plan.temperature,
            service_tier=plan.options.service_tier,
        )
        return body, plan.sent(self.name, thinking="summary" if summary else "", limit=limit)

    def read(self, data: dict[str, Any], request: Request) -> Reply | None:
        output, code = data.get("output"), wire.text_in(wire.dict_in(data.get("error")).get("code"))
        if not isinstance(output, list) and (output is not None or not wire.text_in(data.get("status"))):
            return None
        items = wire.dicts_in(output)
        uses = [item for item in items if item.get("type") == "function_call"]
        calls = tuple(wire.read_calls(request.turns, uses, id_name="call_id", arguments_name="arguments"))
        parts = [part for item in items if item.get("type") == "message" for part in wire.dicts_in(item.get("content"))]
        refusal = "".join(wire.text_in(part.get("refusal")) for part in parts)
        text = "".join(wire.text_in(part.get("text")) for part in parts if part.get("type") == "output_text")
        # If a reply was cut off within its reasoning, that reasoning must not go back.
        ends = (end for end, item in enumerate(items, 1) if item.get("type") != "reasoning")
        whole = items[: max(ends, default=0)]
        reason = wire.text_in(wire.dict_in(data.get("incomplete_details")).get("reason"))
        is_refusal = not calls and (refusal or PAID_REFUSAL.search(code))
        changes = data.get("input_transformations")
        return Reply(
            text=text or refusal,
            calls=calls,
            usage=self.usage(data),
            stop="refusal" if is_refusal else STOPS.get(reason, "tool_use" if calls else "end"),
            model=wire.text_in(data.get("model")),
            blocks=tuple(whole) if wire.sendable(whole) else (),
            thinking=_thinking(items),
            tier=wire.text_in(data.get("service_tier")),
            changes=json.dumps(changes, ensure_ascii=False)[:500] if changes else "",
        )

    def usage(self, data: dict[str, Any]) -> Usage:
        usage = data.get("usage")
        return Usage(
            input_tokens=wire.tokens(usage, "input_tokens"),
            cached_tokens=wire.tokens(usage, "input_tokens_details", "cached_tokens"),
            cache_write_tokens=wire.tokens(usage, "input_tokens_details", "cache_write_tokens"),
            output_tokens=wire.tokens(usage, "output_tokens"),
            reasoning_tokens=wire.tokens(usage, "output_tokens_details", "reasoning_tokens"),
        )


def _items(plan: Plan) -> Iterator[dict[str, Any]]:
    yield {"role": "user", "content": plan.request.prompt}
    for turn, prompt, keeps in plan.turns():
        yield from _kept_items(turn.reply, keeps=keeps) if turn.reply.blocks else _rebuilt_items(turn.reply)
        for result in wire.results_in_order(turn):
            yield {"type": "function_call_output", "call_id": result.call_id, "output": result.text}
        if prompt:
            yield {"role": "user", "content": prompt}


def _kept_items(reply: Reply, *, keeps: bool) -> Iterator[dict[str, Any]]:
    """The items of a reply, unchanged. If its reasoning is left out, so are the ids that refer to it."""
    calls = iter(reply.calls)
    for item in reply.blocks:
        kind = item.get("type")
        if kind == "function_call":
            call = next(calls)
            # A call with unreadable arguments goes back without them.
            emptied = {"arguments": "{}"} if call.arguments is None else {}
            item = item | {"call_id": call.id, "name": wire.sendable_name(call.name)} | emptied
        if keeps:
            yield item
        elif kind != "reasoning":
            yield {name: value for name, value in item.items() if name != "id"}


def _rebuilt_items(reply: Reply) -> Iterator[dict[str, Any]]:
    """Items for a reply without kept blocks, such as one of another wire format. An empty reply has no items."""
    if reply.text.strip():
        yield {"role": "assistant", "content": reply.text}
    for call in reply.calls:
        yield {
            "type": "function_call",
            "call_id": call.id,
            "name": wire.sendable_name(call.name),
            "arguments": json.dumps(call.arguments or {}, ensure_ascii=False),
        }


def _thinking(items: list[dict[str, Any]]) -> str:
    """The summaries of the reasoning; for open models the reasoning itself."""
    reasoning = (item for item in items if item.get("type") == "reasoning")
    parts = [part for item in reasoning for name in ("summary", "content") for part in wire.dicts_in(item.get(name))]
    return "\n\n".join(filter(None, (wire.text_in(part.get("text")) for part in parts)))
