"""Anthropic's Messages API, with prompt caching on tools, system prompt and the growing chat, and signed thinking."""

import json
from typing import Any

from agents.llm import Reply, Request, Sent, Usage
from agents.providers import wire
from agents.providers.formats.wire_format import TOOL_CHOICE, Plan, WireFormat, present

MAX_TOKENS = 32_000
"""Default output limit. The API requires a limit, and thinking counts towards it."""

LEAST_BUDGET = 1024
"""Minimum token budget of thinking of the type 'enabled'."""

STOPS = {
    "end_turn": "end",
    "stop_sequence": "end",
    "pause_turn": "end",
    "tool_use": "tool_use",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "refusal": "refusal",
}
CALL_FIELDS = ("id", "name", "input")
THINKING = ("thinking", "redacted_thinking")
CACHED = {"cache_control": {"type": "ephemeral"}}


class Messages(WireFormat):
    name, path = "messages", "/v1/messages"
    part_patterns = {
        "tool_choice": TOOL_CHOICE,
        "temperature": r"temperature",
        "max_tokens": r"max_tokens",
        "effort": r"output_config|effort",
        "display": r"display",
        "thinking": r"thinking",
        "cache_control": r"cache_control",
        "version": r"anthropic[-_]version|api version|version .{0,3}\d{4}-\d\d-\d\d",
    }

    def body(self, plan: Plan) -> tuple[dict[str, Any], Sent]:
        request, mark = plan.request, CACHED if plan.learned.takes("cache_control") else {}
        limit = plan.limit(MAX_TOKENS)
        thinking = {} if "thinking" in plan.options.extra_parameters else _thinking(plan, limit or MAX_TOKENS)
        effort = plan.options.reasoning_effort
        # Some servers refuse an empty list of tools.
        tools = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
            | (mark if tool is request.tools[-1] else {})
            for tool in request.tools
        ]
        body = {"model": plan.options.model, "max_tokens": limit, "messages": _messages(plan, mark)} | present(
            thinking=thinking,
            output_config=present(effort="" if effort == "none" else effort),
            tools=tools,
            tool_choice=plan.tool_choice({"type": "tool", "name": plan.forced_name}, {"type": "any"}),
            system=[_text_block(request.system) | mark] if request.system else [],
            temperature=plan.temperature,
        )
        return body, plan.sent(self.name, thinking=str(thinking.get("type", "")), limit=limit)

    def read(self, data: dict[str, Any], request: Request) -> Reply | None:
        content = data.get("content")
        if content is None and wire.text_in(data.get("stop_reason")):
            content = []
        if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
            return None
        uses = [block for block in content if block.get("type") == "tool_use"]
        thoughts = [wire.text_in(block.get("thinking")) for block in content if block.get("type") == "thinking"]
        # Blocks to send back unchanged. For a call only the position is kept; its content is in the reply's calls.
        kept = tuple(
            {name: value for name, value in block.items() if block.get("type") != "tool_use" or name not in CALL_FIELDS}
            for block in content
        )
        thinks = any(block.get("type") in THINKING for block in content)
        changes = data.get("input_transformations")
        return Reply(
            text="".join(wire.text_in(block.get("text")) for block in content if block.get("type") == "text"),
            calls=tuple(wire.read_calls(request.turns, uses, id_name="id", arguments_name="input")),
            usage=self.usage(data),
            stop=STOPS.get(str(data.get("stop_reason")), "other"),
            model=wire.text_in(data.get("model")),
            blocks=kept if thinks and wire.sendable(kept) else (),
            thinking="\n\n".join(filter(None, thoughts)),
            tier=wire.text_in(wire.dict_in(data.get("usage")).get("service_tier")),
            changes=json.dumps(changes, ensure_ascii=False)[:500] if changes else "",
        )

    def usage(self, data: dict[str, Any]) -> Usage:
        """The tokens in an answer. The API counts cached input separately."""
        usage = data.get("usage")
        minutes, hour = (
            wire.tokens(usage, "cache_creation", f"ephemeral_{kept}_input_tokens") for kept in ("5m", "1h")
        )
        cached = wire.tokens(usage, "cache_read_input_tokens")
        written = wire.tokens(usage, "cache_creation_input_tokens") or minutes + hour
        return Usage(
            input_tokens=wire.tokens(usage, "input_tokens") + cached + written,
            cached_tokens=cached,
            cache_write_tokens=written,
            output_tokens=wire.tokens(usage, "output_tokens"),
            reasoning_tokens=wire.tokens(usage, "output_tokens_details", "thinking_tokens"),
            cache_hour_tokens=hour,
        )


def _thinking(plan: Plan, limit: int) -> dict[str, Any]:
    """The parameter `thinking`. Claude 4.7 and 4.8 need it to think, whatever the effort, and to return the texts."""
    kind = plan.learned.thinking
    if plan.options.reasoning_effort == "none":
        return {"type": kind or "disabled"}
    if not plan.asks_for_thinking or kind == "none" or (kind == "enabled" and limit <= LEAST_BUDGET):
        return {}
    if kind == "enabled":
        return {"type": "enabled", "budget_tokens": max(LEAST_BUDGET, limit // 2)}
    return {"type": kind or "adaptive"} | ({"display": "summarized"} if plan.learned.takes("display") else {})


def _messages(plan: Plan, mark: dict[str, Any]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": [_text_block(plan.request.prompt)]}]
    for turn, prompt, keeps in plan.turns():
        blocks: list[dict[str, Any]] = [
            {"type": "tool_result", "tool_use_id": result.call_id, "content": result.text}
            | ({"is_error": True} if result.is_error else {})
            for result in wire.results_in_order(turn)
        ]
        messages += [
            {"role": "assistant", "content": _assistant_blocks(turn.reply, keeps=keeps)},
            {"role": "user", "content": [*blocks, _text_block(prompt)] if prompt.strip() or not blocks else blocks},
        ]
    # The last marker writes this chat to the cache. The marker before it reads the chat of the previous query.
    for user in messages[-1:-4:-2]:
        user["content"][-1] |= mark
    return messages


def _assistant_blocks(reply: Reply, *, keeps: bool) -> list[dict[str, Any]]:
    """The blocks of a reply to send back. Signed thinking and the rest of its reply are sent unchanged."""
    is_signed = bool(reply.blocks) and keeps
    uses = iter(
        {
            "type": "tool_use",
            "id": call.id,
            "name": call.name if is_signed else wire.sendable_name(call.name),
            "input": call.arguments or {},
        }
        for call in reply.calls
    )
    if is_signed:
        blocks = [block | next(uses) if block.get("type") == "tool_use" else block for block in reply.blocks]
        # The API refuses a reply that is only thinking.
        thinks_only = all(block.get("type") in THINKING for block in blocks)
        return [*blocks, _text_block(wire.EMPTY_REPLY)] if thinks_only else blocks
    # The API refuses blank text, although models write it.
    text = [_text_block(reply.text)] if reply.text.strip() else []
    return [*text, *uses] or [_text_block(wire.EMPTY_REPLY)]


def _text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
