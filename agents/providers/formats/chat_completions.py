"""OpenAI's Chat Completions and compatible endpoints: Google, DeepSeek, Mistral, vLLM, Ollama, llama.cpp and others."""

import json
import re
from collections.abc import Iterator
from typing import Any

from agents.llm import Reply, Request, Sent, ToolCall, Usage
from agents.providers import wire
from agents.providers.formats.wire_format import TIER, TOOL_CHOICE, Plan, WireFormat, present
from agents.providers.learned import PROMPT_IN_RESULT, SYSTEM_IN_PROMPT

STOPS = {
    "invalid": re.compile(r"malformed|unexpected_tool_call", re.IGNORECASE),
    "max_tokens": re.compile(r"length|max_(output_)?tokens|context_window", re.IGNORECASE),
    "refusal": re.compile(
        r"content_filter|refusal|safety|recitation|prohibited|blocklist|spii|sensitive|language|guardrail",
        re.IGNORECASE,
    ),
    "tool_use": re.compile(r"tool_(calls?|use)|function_call", re.IGNORECASE),
    "end": re.compile(r"stop|eos|end_turn", re.IGNORECASE),
}
"""Patterns of finish reasons by our `stop`. Some have a prefix, as "function_call_filter: MALFORMED_FUNCTION_CALL"."""

KEPT = ("reasoning_details", "thinking_blocks", "reasoning_content", "reasoning")
"""Fields with thinking, of which the first present goes back (OpenRouter; LiteLLM; DeepSeek, Moonshot, SGLang; vLLM)."""

THINKING = ("thinking", "reasoning")
"""Types of content parts that hold thinking."""

KEPT_OF_CALL = "extra_content"
"""Field of a single call that goes back with it (Google's thought signatures)."""

CONTENT = "content"
"""Content that goes back because it holds thinking: as parts of a list (Mistral), or before the text (TAGGED)."""

TAGGED = re.compile(r"\s*+(?:<((?:\w+:)?(?:think(?:ing)?|thought))>(.*?)</\1>|(.*?)</think>)\s*", re.DOTALL)
"""Pattern for thinking within the text: Google's summaries, and open models whose server does not separate it.

Some chat templates write the opening tag, so that the reply has only the closing tag. The tag <reasoning> is not matched,
because the paper's questions ask for it as part of the answer.
"""

GOOGLE = "/v1beta/openai"
"""End of the URL of Google's compatible endpoints. They show thinking only if a parameter of their own asks for it."""


class ChatCompletions(WireFormat):
    name, path = "chat", "/chat/completions"
    part_patterns = {
        "tool_choice": TOOL_CHOICE,
        "temperature": r"temperature",
        "max_tokens": r"max_tokens",
        "max_completion_tokens": r"max_completion_tokens",
        "effort": r"reasoning[_ ]?effort|thinking|reasoning",
        "reasoning_effort": r"reasoning_effort\W+or custom\W+thinking_config",
        "summary": r"include_thoughts|thinking_config|thinking[_ ]?level|extra_body",
        "tier": TIER,
        "kept": r"reasoning_(content|details)|extra_content|thinking_blocks|property .{0,20}reasoning|reasoning in assistant",
    }

    def body(self, plan: Plan) -> tuple[dict[str, Any], Sent]:
        options, learned = plan.options, plan.learned
        limit = plan.limit()
        # The API refuses an empty list of tools, and `tool_choice` without tools.
        described = [
            {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
            for tool in plan.request.tools
        ]
        is_asked = plan.asks_for_thinking and learned.takes("summary")
        is_shown = is_asked and options.base_url.rstrip("/").endswith(GOOGLE)
        is_level = is_shown and not learned.takes("reasoning_effort")
        level = present(thinking_level=options.reasoning_effort if is_level else "")
        cap = cap_of(plan)
        body = {"model": options.model, "messages": list(_messages(plan))} | present(
            tools=[{"type": "function", "function": function} for function in described],
            tool_choice=plan.tool_choice({"type": "function", "function": {"name": plan.forced_name}}, "required"),
            reasoning_effort="" if is_level else options.reasoning_effort,
            extra_body={"google": {"thinking_config": {"include_thoughts": True} | level}} if is_shown else {},
            **({cap: limit} if cap else {}),
            temperature=plan.temperature,
            service_tier=options.service_tier,
        )
        return body, plan.sent(self.name, limit=limit)

    def read(self, data: dict[str, Any], request: Request) -> Reply | None:
        choice = wire.first_choice(data)
        message, finish = wire.dict_in(choice.get("message")), wire.text_in(choice.get("finish_reason"))
        if not isinstance(choice.get("message"), dict) and not finish:
            return None
        parts = wire.dicts_in(message.get("tool_calls"))
        uses = [wire.dict_in(part.get("function")) | {"id": part.get("id")} for part in parts]
        calls = tuple(wire.read_calls(request.turns, uses, id_name="id", arguments_name="arguments"))
        refusal = message.get("refusal")
        stops = (stop for stop, pattern in STOPS.items() if pattern.search(finish))
        stop = "refusal" if refusal else next(stops, "other")
        return Reply(
            text=_text(message.get("content")) or _text(refusal),
            calls=calls,
            usage=self.usage(data),
            stop="tool_use" if calls and stop == "end" else stop,
            model=wire.text_in(data.get("model")),
            blocks=_kept_blocks(message, parts, calls),
            thinking=_thinking(message),
            tier=wire.text_in(data.get("service_tier")),
            # OpenRouter's name of the field.
            upstream=wire.text_in(data.get("provider")),
            fault="It held no valid call of a tool." if stop == "invalid" else "",
        )

    def usage(self, data: dict[str, Any]) -> Usage:
        """The tokens in an answer. Some endpoints (Google, xAI) count hidden reasoning only in the total."""
        usage = data.get("usage")
        prompt, visible = wire.tokens(usage, "prompt_tokens"), wire.tokens(usage, "completion_tokens")
        reasoning = wire.tokens(usage, "completion_tokens_details", "reasoning_tokens")
        total = wire.tokens(usage, "total_tokens")
        hidden = reasoning if not total and reasoning > visible else 0
        output = max(visible + hidden, total - prompt)
        # DeepSeek and Kimi use their own names.
        cached = wire.tokens(usage, "prompt_cache_hit_tokens") or wire.tokens(usage, "cached_tokens")
        return Usage(
            input_tokens=prompt,
            cached_tokens=wire.tokens(usage, "prompt_tokens_details", "cached_tokens") or cached,
            cache_write_tokens=wire.tokens(usage, "prompt_tokens_details", "cache_write_tokens"),
            output_tokens=output,
            reasoning_tokens=max(reasoning, output - visible),
        )


def cap_of(plan: Plan) -> str:
    """The name of the output limit; empty if both are refused.

    OpenAI uses the newer name. Other servers may silently ignore it, and then nothing limits the cost.
    """
    names = ("max_tokens", "max_completion_tokens")
    return next(filter(plan.learned.takes, reversed(names) if plan.options.provider == "openai" else names), "")


def _messages(plan: Plan) -> Iterator[dict[str, Any]]:
    system, prompt, forms = plan.request.system, plan.request.prompt, plan.learned.forms
    is_joined = bool(system) and SYSTEM_IN_PROMPT in forms
    if system and not is_joined:
        yield {"role": "system", "content": system}
    yield {"role": "user", "content": f"{system}\n\n{prompt}" if is_joined else prompt}
    for turn, prompt_after, keeps in plan.turns():
        yield _assistant_message(turn.reply, keeps=keeps)
        answers = [
            {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
            for result in wire.results_in_order(turn)
        ]
        if prompt_after and answers and PROMPT_IN_RESULT in forms:
            answers[-1]["content"] += f"\n\n{prompt_after}"
        elif prompt_after:
            answers.append({"role": "user", "content": prompt_after})
        yield from answers


def _assistant_message(reply: Reply, *, keeps: bool) -> dict[str, Any]:
    kept = reply.blocks[0] if reply.blocks and keeps else {}
    extras = kept.get(KEPT_OF_CALL, {})
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {
                "name": wire.sendable_name(call.name),
                "arguments": json.dumps(call.arguments or {}, ensure_ascii=False),
            },
        }
        | ({KEPT_OF_CALL: extras[call.id]} if call.id in extras else {})
        for call in reply.calls
    ]
    text: dict[str, Any] = {"role": "assistant", "content": reply.text if reply.text.strip() else None}
    message = text | {name: kept[name] for name in (*KEPT, CONTENT) if name in kept}
    if calls:
        return message | {"tool_calls": calls}
    return message if message["content"] else message | {"content": wire.EMPTY_REPLY}


def _text(content: object) -> str:
    """The text of a message. Mistral's models answer with a list, in which parts with thinking have no text."""
    if isinstance(content, str):
        tagged = TAGGED.match(content)
        return content[tagged.end() :] if tagged else content
    return "".join(
        wire.text_in(part.get("text")) for part in wire.dicts_in(content) if part.get("type") not in THINKING
    )


def _thinking(message: dict[str, Any]) -> str:
    """The thinking beside or within the text, in any form of KEPT or CONTENT."""
    if isinstance(message.get(CONTENT), str) and (tagged := TAGGED.match(message[CONTENT])):
        return (tagged[2] or tagged[3] or "").strip()
    beside_text = (_thinking_text(message.get(name)) for name in ("reasoning_content", "reasoning", "thinking", *KEPT))
    parts = [part for part in wire.dicts_in(message.get("content")) if part.get("type") in THINKING]
    return next(filter(None, beside_text), "") or _thinking_text(parts)


def _thinking_text(value: object) -> str:
    """The text of thinking, given as text, as an object with text, or as a list of these."""
    if isinstance(value, list):
        return "\n\n".join(filter(None, map(_thinking_text, value)))
    if isinstance(value, dict):
        return next(
            filter(None, (_thinking_text(value.get(name)) for name in ("text", "summary", "thinking", "content"))), ""
        )
    return wire.text_in(value)


def _kept_blocks(
    message: dict[str, Any], parts: list[dict[str, Any]], calls: tuple[ToolCall, ...]
) -> tuple[dict[str, Any], ...]:
    thinking = next(({name: message[name]} for name in KEPT if message.get(name)), {})
    # Kimi and DeepSeek require this field with every call, even if the model did not think.
    unthought = {"reasoning_content": ""} if message.get("reasoning_content") == "" else {}
    content = message.get(CONTENT)
    is_thinking = any(part.get("type") in THINKING for part in wire.dicts_in(content)) or TAGGED.match(
        wire.text_in(content)
    )
    extras = {call.id: part[KEPT_OF_CALL] for call, part in zip(calls, parts, strict=True) if part.get(KEPT_OF_CALL)}
    kept = (thinking or unthought) | present(**{CONTENT: content if is_thinking else "", KEPT_OF_CALL: extras})
    return (kept,) if kept and wire.sendable(kept) else ()
