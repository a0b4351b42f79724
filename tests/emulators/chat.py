"""OpenAI's Chat Completions interface and those that are compatible with it: what they refuse, and their answers."""

from __future__ import annotations

import json

from tests.emulators import chat_thinking, rules
from tests.emulators.chat_shape import check_messages, text_of
from tests.emulators.model import Usage
from tests.emulators.player import Play, Player, View
from tests.emulators.rules import Asked, Issued, Refused
from tests.emulators.tools import check_functions, forced_by

FIELDS = {
    *("messages", "model", "audio", "frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens"),
    *("max_tokens", "metadata", "modalities", "moderation", "n", "parallel_tool_calls", "prediction", "user"),
    *("presence_penalty", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "reasoning_effort"),
    *("response_format", "safety_identifier", "seed", "service_tier", "stop", "store", "stream", "stream_options"),
    *("temperature", "tool_choice", "tools", "top_logprobs", "top_p", "verbosity"),
}
CAPS = ("max_completion_tokens", "max_tokens")
FINISH = {True: "tool_calls", False: "stop"}


def answer(asked: Asked, player: Player) -> tuple[dict, Usage]:
    """The reply and its tokens. Raises Refused."""
    body, form = asked.body, asked.model.chat
    if form.refuses_unknown_fields:
        rules.check_known(body, FIELDS | set(form.fields))
    effort = _effort(asked)
    names = _tools(asked)
    _check_route(asked, effort, names)
    rules.check_temperature(asked, effort)
    rules.check_tier(asked.model, body.get("service_tier"))
    forced = forced_by(asked, names, effort != "none", flat=False)
    check_messages(asked)
    chat_thinking.check(asked, effort)
    total, cached = rules.automatic_cache(asked, [body.get("tools"), *body["messages"]])
    limit = _limit(asked, total)
    play = player(view_of(body, () if body.get("tool_choice") == "none" else tuple(names), forced))
    if body.get("parallel_tool_calls") is False:
        play = Play(play.text, play.calls[:1], play.thinking, play.refusal)
    thinking = rules.thought_tokens(play, effort) if asked.model.reasons else 0
    rest, thinking, visible, was_cut = rules.cut(play, thinking, limit)
    usage = Usage(total - cached, cached, visible=visible, thinking=thinking)
    message = _message(asked, play, rest, bool(thinking))
    finish = "length" if was_cut else FINISH[bool(rest.calls)]
    return _reply(asked, play, message, finish, usage), usage


def view_of(body: dict, tools: tuple[str, ...], forced: str) -> View:
    """The request without its form."""
    said = body["messages"]
    names = {
        call["id"]: call["function"]["name"] for message in said for call in message.get("tool_calls") or () if call
    }
    system = [text_of(message.get("content")) for message in said if message["role"] in ("system", "developer")]
    spoken = [message for message in said if message["role"] in ("user", "assistant")]
    return View(
        system="\n".join(system),
        messages=tuple((message["role"], text_of(message.get("content"))) for message in spoken),
        tools=tools,
        results=tuple(
            (names[message["tool_call_id"]], text_of(message["content"]))
            for message in said
            if message["role"] == "tool"
        ),
        forced=forced,
        replies=sum(message["role"] == "assistant" for message in said),
    )


def _effort(asked: Asked) -> str:
    """The effort that counts, "none" for a model that does not think here. Raises Refused."""
    body, model = asked.body, asked.model
    effort = body.get("reasoning_effort")
    config = body.get("extra_body", {}).get("google", {}).get("thinking_config", {})
    if effort is not None and config:
        raise Refused("Expected one of either `reasoning_effort` or custom `thinking_config`; found both.")
    effort = config.get("thinking_level", effort)
    if effort is not None:
        rules.check_effort(model, effort, "reasoning_effort")
    fields = model.chat.fields
    switch = body.get("thinking") if "thinking" in fields else None
    if switch is not None and switch.get("type") not in ("enabled", "disabled"):
        raise Refused("thinking: unknown type", param="thinking")
    off = (switch or {}).get("type") == "disabled" or (
        "enable_thinking" in fields and body.get("enable_thinking") is False
    )
    if off or not model.reasons:
        return "none"
    asked_for = (body.get("reasoning") or {}).get("effort") if "reasoning" in fields else None
    return effort or asked_for or model.effort


def _tools(asked: Asked) -> list[str]:
    tools = asked.body.get("tools")
    if tools is None:
        return []
    if not isinstance(tools, list) or not tools:
        raise Refused("[] is too short - 'tools'", param="tools", code="empty_array")
    functions = []
    for index, tool in enumerate(tools):
        if not isinstance(tool, dict) or tool.get("type") != "function" or "function" not in tool:
            path = f"tools[{index}].function"
            raise Refused(f"Missing required parameter: '{path}'.", param=path, code="missing_required_parameter")
        functions.append((f"tools[{index}].function", tool["function"]))
    return check_functions(functions, strict_by_default=False)


def _check_route(asked: Asked, effort: str, names: list[str]) -> None:
    """OpenAI's models take tools here only without reasoning."""
    if asked.model.maker == "openai" and names and effort != "none":
        raise Refused(
            f"Function tools with reasoning_effort are not supported for {asked.model.id} in /v1/chat/completions. "
            "To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
            param="reasoning_effort",
        )


def _limit(asked: Asked, total: int) -> int | None:
    """The limit of output that was sent. Raises Refused where it, or the input, is too large."""
    body, model = asked.body, asked.model
    sent = [name for name in CAPS if body.get(name) is not None]
    if len(sent) > 1:
        raise Refused("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
    room = (model.context - total) if model.context else model.max_output
    if total > (model.context or model.max_input):
        raise Refused(
            f"This model's maximum context length is {model.context or model.max_input} tokens, "
            f"your messages resulted in {total} tokens.",
            param="messages",
            code="context_length_exceeded",
        )
    if not sent:
        return None
    name, limit = sent[0], body[sent[0]]
    if name not in model.chat.caps and model.chat.ignores_other_cap:
        return None
    if name not in model.chat.caps:
        raise Refused(
            f"Unsupported parameter: '{name}' is not supported with this model. Use '{model.chat.caps[0]}' instead.",
            param=name,
            code="unsupported_parameter",
        )
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise Refused(f"Invalid value for '{name}'.", param=name, code="invalid_value")
    if limit > min(room, model.max_output):
        raise _too_large(asked, name, limit, total)
    return limit


def _too_large(asked: Asked, name: str, limit: int, total: int) -> Refused:
    model = asked.model
    if model.maker == "vllm":
        return Refused(
            f"'max_tokens' or 'max_completion_tokens' is too large: {limit}. This model's maximum context length is "
            f"{model.context} tokens and your request has {total} input tokens "
            f"({limit} > {model.context} - {total}). None"
        )
    return Refused(
        f"{name} is too large: {limit}. This model supports at most {model.max_output} completion tokens, "
        f"whereas you provided {limit}.",
        param=name,
        code="invalid_value",
    )


def _message(asked: Asked, play: Play, rest: Play, thinks: bool) -> dict:
    """The message of the answer, which is remembered."""
    key = asked.key(play)
    message: dict = {"role": "assistant", "content": rest.text or None, "refusal": rest.refusal or None}
    calls = []
    for number, (name, arguments) in enumerate(rest.calls):
        call_id = f"{key[:8]}{number % 10}" if asked.model.chat.nine_letter_ids else f"call_{key}_{number}"
        function = {"name": name, "arguments": json.dumps(arguments)}
        calls.append({"id": call_id, "type": "function", "function": function})
    if calls:
        message["tool_calls"] = calls
    if thinks:
        chat_thinking.add(asked, play, message, key)
    issued = Issued(key, (message,), len(asked.body["messages"]), asked.model.id, asked.account)
    asked.memory.by_id |= {call["id"]: issued for call in calls}
    return message


def _reply(asked: Asked, play: Play, message: dict, finish: str, usage: Usage) -> dict:
    reply = {
        "id": f"chatcmpl-{asked.key(play)}",
        "object": "chat.completion",
        "created": 0,
        "model": asked.model.responds_as or asked.model.id,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": _usage(asked.model.chat.usage, usage),
    }
    if asked.model.maker in ("openai", "google"):
        reply["service_tier"] = rules.check_tier(asked.model, asked.body.get("service_tier"))
    return reply


def _usage(form: str, usage: Usage) -> dict:
    counted = {"prompt_tokens": usage.input, "completion_tokens": usage.output}
    counted["total_tokens"] = usage.input + usage.output
    match form:
        case "google":
            return counted | {
                "completion_tokens": usage.visible,
                "prompt_tokens_details": {"cached_tokens": usage.cached},
            }
        case "deepseek":
            cache = {"prompt_cache_hit_tokens": usage.cached, "prompt_cache_miss_tokens": usage.fresh}
            return counted | cache | {"completion_tokens_details": {"reasoning_tokens": usage.thinking}}
        case "moonshot":
            return counted | {"cached_tokens": usage.cached}
    return counted | {
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.thinking},
    }
