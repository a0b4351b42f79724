"""Anthropic's Messages interface: what it refuses, and its answers."""

from __future__ import annotations

from itertools import accumulate

from tests.emulators import rules, thinking
from tests.emulators.message_shape import blocks_of, check_messages, check_tools, text_of
from tests.emulators.model import Usage
from tests.emulators.player import Play, Player, View
from tests.emulators.rules import Asked, Issued, Refused

FIELDS = {
    *("model", "max_tokens", "messages", "system", "tools", "tool_choice", "thinking", "output_config"),
    *("temperature", "top_p", "top_k", "metadata", "stop_sequences", "service_tier", "cache_control", "stream"),
    *("container", "diagnostics", "inference_geo", "speed"),
}
EFFORTS = ("low", "medium", "high", "xhigh", "max")
MOST_MARKS = 4


def answer(asked: Asked, player: Player) -> tuple[dict, Usage]:
    """The reply and its tokens. Raises Refused."""
    body = asked.body
    _check_version(asked)
    _check_fields(asked)
    effort = _effort(asked)
    mode = thinking.mode(asked, effort)
    _check_sampling(asked, mode)
    check_messages(asked)
    names = check_tools(body.get("tools") or [])
    forced = _forced(asked, names, mode)
    dropped = thinking.check(asked, mode)
    usage = _input(asked)
    if usage.input > asked.model.max_input:
        raise Refused(f"prompt is too long: {usage.input} tokens > {asked.model.max_input} maximum")
    choice = body.get("tool_choice") or {}
    play = player(view_of(body, () if choice.get("type") == "none" else tuple(names), forced))
    if choice.get("disable_parallel_tool_use"):
        play = Play(play.text, play.calls[:1], play.thinking, play.refusal)
    thought = rules.thought_tokens(play, effort or "high") if mode in ("adaptive", "enabled") else 0
    rest, thought, visible, was_cut = rules.cut(play, thought, body["max_tokens"])
    usage = Usage(usage.fresh, usage.cached, usage.written, usage.written_1h, visible, thought)
    content = _content(asked, play, rest, mode)
    reply = _reply(asked, play, rest, content, usage)
    if was_cut:
        reply["stop_reason"] = "max_tokens"
    return reply | ({"input_transformations": dropped} if dropped is not None else {}), usage


def view_of(body: dict, tools: tuple[str, ...], forced: str) -> View:
    """The request without its form."""
    said = body["messages"]
    every = [(message["role"], block) for message in said for block in blocks_of(message)]
    names = {block["id"]: block["name"] for _, block in every if block["type"] == "tool_use"}
    return View(
        system=text_of(body.get("system") or ""),
        messages=tuple((message["role"], text_of(message["content"])) for message in said),
        tools=tools,
        results=tuple(
            (names[block["tool_use_id"]], text_of(block.get("content") or ""))
            for _, block in every
            if block["type"] == "tool_result"
        ),
        forced=forced,
        replies=sum(message["role"] == "assistant" for message in said),
    )


def _check_version(asked: Asked) -> None:
    version = asked.headers.get("anthropic-version")
    if version is None and asked.model.versions:
        raise Refused("anthropic-version: header is required")
    if asked.model.versions and version not in asked.model.versions:
        raise Refused(f'anthropic-version: "{version}" is not a supported version')


def _check_fields(asked: Asked) -> None:
    body, model = asked.body, asked.model
    unknown = sorted(set(body) - FIELDS)
    if unknown:
        raise Refused(f"{unknown[0]}: Extra inputs are not permitted")
    if body.get("stream"):
        raise Refused("stream: the emulator does not stream")
    limit = body.get("max_tokens")
    if limit is None:
        raise Refused("max_tokens: Field required")
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise Refused("max_tokens: Input should be a valid integer greater than or equal to 1")
    if limit > model.max_output:
        raise Refused(
            f"max_tokens: {limit} > {model.max_output}, which is the maximum allowed number of output tokens "
            f"for {model.id}"
        )
    if body.get("service_tier") not in (None, *dict(model.tiers)):
        raise Refused("service_tier: Input should be 'auto' or 'standard_only'")


def _effort(asked: Asked) -> str:
    """The effort that counts, "" for a model without. Raises Refused."""
    config = asked.body.get("output_config") or {}
    unknown = sorted(set(config) - {"effort", "format"})
    if unknown:
        raise Refused(f"output_config.{unknown[0]}: Extra inputs are not permitted")
    effort = config.get("effort")
    if effort is None:
        return asked.model.effort
    if not asked.model.efforts:
        raise Refused("This model does not support the effort parameter.")
    if effort not in EFFORTS:
        raise Refused("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'")
    if effort not in asked.model.efforts:
        values = rules.listed(asked.model.efforts)
        raise Refused(
            f"output_config.effort: {asked.model.id} does not support '{effort}'. Supported values are: {values}."
        )
    return effort


def _check_sampling(asked: Asked, mode: str) -> None:
    rule, body = asked.model.temperature, asked.body
    for name in ("temperature", "top_p", "top_k"):
        value = body.get(name)
        if value is None:
            continue
        if rule == "none" or (rule == "only 1" and (name == "top_k" or value != 1)):
            raise Refused(f"`{name}` is deprecated for this model.")
        if name == "temperature" and not 0 <= value <= 1:
            raise Refused("temperature: range: 0..1")
        if name == "temperature" and value != 1 and mode in ("adaptive", "enabled"):
            raise Refused("`temperature` may only be set to 1 when thinking is enabled.")
    if rule == "not with top_p" and None not in (body.get("temperature"), body.get("top_p")):
        raise Refused("`temperature` and `top_p` cannot both be specified for this model. Please use only one.")


def _forced(asked: Asked, names: list[str], mode: str) -> str:
    choice = asked.body.get("tool_choice")
    if choice is None:
        return ""
    if not isinstance(choice, dict) or choice.get("type") not in ("auto", "any", "tool", "none"):
        raise Refused("tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'")
    if not names:
        raise Refused("tool_choice: tool_choice may only be specified while providing tools")
    if choice["type"] == "tool" and choice.get("name") not in names:
        raise Refused(f"Tool '{choice.get('name')}' not found in provided tools")
    if choice["type"] in ("auto", "none"):
        return ""
    if asked.model.forced == "no":
        raise Refused("tool_choice forces tool use is not compatible with this model")
    if asked.model.forced == "not with enabled" and mode == "enabled":
        raise Refused("Thinking may not be enabled when tool_choice forces tool use.")
    return choice["name"] if choice["type"] == "tool" else "any"


def _check_marks(marks: list) -> None:
    given = [mark for mark in marks if mark is not None]
    if len(given) > MOST_MARKS:
        raise Refused(f"A maximum of 4 blocks with cache_control may be provided. Found {len(given)}.")
    if any(mark.get("type") != "ephemeral" or mark.get("ttl", "5m") not in ("5m", "1h") for mark in given):
        raise Refused("cache_control: Input should be {'type': 'ephemeral'} with a ttl of '5m' or '1h'")


def _input(asked: Asked) -> Usage:
    """Input tokens: up to the last cache mark they are read from the cache or written to it."""
    body, cache = asked.body, asked.memory.cached
    system = body.get("system") or []
    segments = [*(body.get("tools") or []), *([system] if isinstance(system, str) else system)]
    segments += [block for message in body["messages"] for block in blocks_of(message)]
    marks = [block.get("cache_control") if isinstance(block, dict) else None for block in segments]
    _check_marks([*marks, body.get("cache_control")])
    marks[-1] = marks[-1] or body.get("cache_control")
    sizes = rules.sizes(segments)
    ends = list(accumulate(size for _, size in sizes))
    places = [(asked.account, asked.model.id, prefix) for prefix, _ in sizes]
    last = max((index for index, mark in enumerate(marks) if mark), default=-1)
    cached = max((ends[index] for index in range(last + 1) if places[index] in cache), default=0)
    written = {"5m": 0, "1h": 0}
    reached = cached
    for index, mark in enumerate(marks):
        if mark is None:
            continue
        if ends[index] > reached and ends[index] >= asked.model.cache_minimum:
            written[mark.get("ttl", "5m")] += ends[index] - reached
            reached = ends[index]
            cache[places[index]] = reached
    return Usage(ends[-1] - reached, cached, written["5m"], written["1h"])


def _content(asked: Asked, play: Play, rest: Play, mode: str) -> list[dict]:
    """The blocks of the answer, which are remembered."""
    key = asked.key(play)
    content = [] if rest.refusal else thinking.blocks(asked, play, rest, mode, key)
    as_thinking = any(block["type"] == "thinking" and block["signature"].startswith("T") for block in content)
    if rest.text and not as_thinking:
        content.append({"type": "text", "text": rest.text})
    for number, (name, arguments) in enumerate(rest.calls):
        content.append({"type": "tool_use", "id": f"toolu_{key}_{number}", "name": name, "input": arguments})
    said, prefix = asked.body["messages"], thinking.prefix(asked, len(asked.body["messages"]), ())
    issued = Issued(key, tuple(content), len(said), asked.model.id, asked.account, (prefix,))
    names = [block.get("id") or block.get("signature") for block in content]
    asked.memory.by_id |= {name: issued for name in names if name}
    return content


def _reply(asked: Asked, play: Play, rest: Play, content: list[dict], usage: Usage) -> dict:
    stop = "refusal" if rest.refusal else "tool_use" if rest.calls else "end_turn"
    details = {"type": "refusal", "category": None, "explanation": rest.refusal} if rest.refusal else None
    return {
        "id": f"msg_{asked.key(play)}",
        "type": "message",
        "role": "assistant",
        "model": asked.model.responds_as or asked.model.id,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "stop_details": details,
        "usage": {
            "input_tokens": usage.fresh,
            "cache_read_input_tokens": usage.cached,
            "cache_creation_input_tokens": usage.written + usage.written_1h,
            "cache_creation": {
                "ephemeral_5m_input_tokens": usage.written,
                "ephemeral_1h_input_tokens": usage.written_1h,
            },
            "output_tokens": usage.output,
            "output_tokens_details": {"thinking_tokens": usage.thinking},
            "service_tier": "standard",
        },
    }
