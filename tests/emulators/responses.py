"""OpenAI's Responses interface: what it refuses, and its answers."""

from __future__ import annotations

import json
import random
from base64 import b64encode

from tests.emulators import echoes, rules
from tests.emulators.model import Usage
from tests.emulators.player import Play, Player, View
from tests.emulators.rules import Asked, Issued, Refused
from tests.emulators.tools import check_functions, forced_by

FIELDS = {
    *("background", "conversation", "include", "input", "instructions", "max_output_tokens", "max_tool_calls"),
    *("metadata", "model", "moderation", "parallel_tool_calls", "previous_response_id", "prompt_cache_key"),
    *("prompt_cache_options", "prompt_cache_retention", "reasoning", "safety_identifier", "service_tier", "store"),
    *("stream", "stream_options", "temperature", "text", "tool_choice", "tools", "top_logprobs", "top_p"),
    *("truncation", "user", "background_options", "context_management", "access_programs", "prompt", "image"),
}
SEALED = "reasoning.encrypted_content"
INCLUDABLE = {
    *(SEALED, "message.output_text.logprobs", "file_search_call.results", "web_search_call.results"),
    *("web_search_call.action.sources", "message.input_image.image_url", "computer_call_output.output.image_url"),
    "code_interpreter_call.outputs",
}
REASONING_FIELDS = {"effort", "summary", "generate_summary", "context", "mode"}


def answer(asked: Asked, player: Player) -> tuple[dict, Usage]:
    """The reply and its tokens. Raises Refused."""
    body, model = asked.body, asked.model
    rules.check_known(body, FIELDS)
    effort = _effort(asked)
    _check_parameters(asked, effort)
    tools = body.get("tools") or []
    wrong = next((tool.get("type") for tool in tools if tool.get("type") != "function"), None)
    if wrong is not None:
        raise Refused(f"Invalid value: '{wrong}'.", param="tools[0].type", code="invalid_value")
    paths = [(f"tools[{index}]", tool) for index, tool in enumerate(tools)]
    names = check_functions(paths, strict_by_default=True)
    forced = forced_by(asked, names, effort != "none", flat=True)
    items = items_of(body)
    removed = echoes.check(asked, items)
    segments = [body.get("instructions"), tools, *items]
    total, cached = rules.automatic_cache(asked, segments)
    if total > model.max_input:
        raise Refused(
            "Your input exceeds the context window of this model.", param="input", code="context_length_exceeded"
        )
    play = player(view_of(body, items, () if body.get("tool_choice") == "none" else tuple(names), forced))
    if body.get("parallel_tool_calls") is False:
        play = Play(play.text, play.calls[:1], play.thinking, play.refusal)
    thinking = rules.thought_tokens(play, effort) if model.reasons else 0
    rest, thinking, visible, was_cut = rules.cut(play, thinking, body.get("max_output_tokens"))
    written = total - cached if model.reports_cache_writes else 0
    usage = Usage(total - cached - written, cached, written, visible=visible, thinking=thinking)
    output = _output(asked, play, rest, bool(thinking), items)
    return _reply(asked, output, usage, was_cut) | {"input_transformations": removed}, usage


def items_of(body: dict) -> list[dict]:
    """The input as a list of items."""
    given = body.get("input")
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if not isinstance(given, list) or not given or not all(isinstance(item, dict) for item in given):
        raise Refused("Missing required parameter: 'input'.", param="input", code="missing_required_parameter")
    return given


def text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content) if isinstance(content, list) else ""


def view_of(body: dict, items: list[dict], tools: tuple[str, ...], forced: str) -> View:
    """The request without its form. Items between two of the user make one reply."""
    names = {item["call_id"]: item["name"] for item in items if item.get("type") == "function_call"}
    said = [item for item in items if item.get("type", "message") == "message"]
    made = ["reasoning" if item.get("type") == "reasoning" else "model" for item in items if _of_model(item)]
    starts = [
        item for before, item in zip([{}, *items], items, strict=False) if _of_model(item) and not _of_model(before)
    ]
    system = [body.get("instructions") or "", *(text_of(i["content"]) for i in said if i["role"] in _SYSTEM)]
    return View(
        system="\n".join(filter(None, system)),
        messages=tuple((item["role"], text_of(item["content"])) for item in said if item["role"] not in _SYSTEM),
        tools=tools,
        results=tuple(
            (names[item["call_id"]], text_of(item["output"]))
            for item in items
            if item.get("type") == "function_call_output"
        ),
        forced=forced,
        replies=len(starts) if made else 0,
    )


_SYSTEM = ("system", "developer")


def _of_model(item: dict) -> bool:
    return item.get("type") in ("reasoning", "function_call") or item.get("role") == "assistant"


def _effort(asked: Asked) -> str:
    """The effort that counts. Raises Refused."""
    reasoning = asked.body.get("reasoning") or {}
    unknown = sorted(set(reasoning) - REASONING_FIELDS)
    if unknown:
        name = f"reasoning.{unknown[0]}"
        raise Refused(f"Unknown parameter: '{name}'.", param=name, code="unknown_parameter")
    effort = reasoning.get("effort")
    if effort is not None:
        rules.check_effort(asked.model, effort, "reasoning.effort")
    if reasoning.get("summary") and not asked.model.reasons:
        raise Refused(
            "Unsupported parameter: 'reasoning.summary' is not supported with this model.",
            param="reasoning.summary",
            code="unsupported_parameter",
        )
    if reasoning.get("summary") and not asked.model.summaries:
        raise Refused(
            "Your organization must be verified to generate reasoning summaries.",
            param="reasoning.summary",
            code="unsupported_value",
        )
    return effort or (asked.model.effort if asked.model.reasons else "none")


def _check_parameters(asked: Asked, effort: str) -> None:
    body, model = asked.body, asked.model
    rules.check_temperature(asked, effort)
    rules.check_tier(model, body.get("service_tier"))
    for value in body.get("include") or ():
        if value not in INCLUDABLE:
            raise Refused(f"Invalid value: '{value}'.", param="include[0]", code="invalid_value")
        if value == SEALED and not model.reasons:
            raise Refused("Encrypted content is not supported with this model.", param="include")
    limit = body.get("max_output_tokens")
    if limit is not None and not (isinstance(limit, int) and 16 <= limit <= model.max_output):
        raise Refused(
            f"Invalid 'max_output_tokens': {limit} is not between 16 and {model.max_output}, this model's maximum.",
            param="max_output_tokens",
            code="invalid_value",
        )
    if body.get("previous_response_id"):
        raise Refused(
            f"Previous response with id '{body['previous_response_id']}' not found.",
            param="previous_response_id",
            code="previous_response_not_found",
        )


def _output(asked: Asked, play: Play, rest: Play, thinks: bool, items: list[dict]) -> tuple[dict, ...]:
    """The items of the answer, which are remembered."""
    body, key = asked.body, asked.key(play)
    stored = body.get("store") is not False
    output: list[dict] = []
    if thinks:
        asks_summary = (body.get("reasoning") or {}).get("summary")
        summary = [{"type": "summary_text", "text": play.thinking}] if asks_summary else []
        item = {"type": "reasoning", "id": f"rs_{key}", "summary": summary}
        if SEALED in (body.get("include") or ()) or (not stored and asked.model.encrypted_by_default):
            item["encrypted_content"] = _sealed(rules.digest([key, play.thinking]), asked.model.sealed)
        output.append(item)
    if rest.text or rest.refusal:
        part = {"type": "output_text", "text": rest.text, "annotations": []}
        if rest.refusal:
            part = {"type": "refusal", "refusal": rest.refusal}
        message = {"type": "message", "id": f"msg_{key}", "role": "assistant", "status": "completed", "content": [part]}
        output.append(message | ({"phase": _phase(rest)} if asked.model.phase else {}))
    for number, (name, arguments) in enumerate(rest.calls):
        call = {"type": "function_call", "id": f"fc_{key}_{number}", "call_id": f"call_{key}_{number}", "name": name}
        output.append(call | {"arguments": json.dumps(arguments), "status": "completed"})
    prefix = echoes.prefix(body, items)
    issued = Issued(key, tuple(output), len(items), asked.model.id, asked.account, (prefix,), stored)
    echoes.remember(asked.memory, issued)
    return issued.items


def _sealed(digest: str, length: int) -> str:
    """So many characters, which cannot be shortened, as those of encrypted reasoning."""
    noise = b64encode(random.Random(digest).randbytes(length)).decode()
    return f"gAAA{digest}{noise}"[:length]


def _phase(play: Play) -> str:
    return "commentary" if play.calls else "final_answer"


def _reply(asked: Asked, output: tuple[dict, ...], usage: Usage, was_cut: bool) -> dict:
    body, model = asked.body, asked.model
    details = {"cached_tokens": usage.cached, "cache_write_tokens": usage.written}
    return {
        "id": f"resp_{rules.digest([body, asked.account])[:16]}",
        "object": "response",
        "created_at": 0,
        "status": "incomplete" if was_cut else "completed",
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if was_cut else None,
        "model": model.responds_as or model.id,
        "service_tier": rules.check_tier(model, body.get("service_tier")),
        "parallel_tool_calls": body.get("parallel_tool_calls", True),
        "tool_choice": body.get("tool_choice", "auto"),
        "tools": body.get("tools") or [],
        "output": list(output),
        "usage": {
            "input_tokens": usage.input,
            "input_tokens_details": details,
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": usage.thinking},
            "total_tokens": usage.input + usage.output,
        },
    }
