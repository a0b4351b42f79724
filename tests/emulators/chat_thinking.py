"""Thinking in the Chat Completions interface: the field that carries it, and whether it comes back."""

from __future__ import annotations

from tests.emulators.chat_shape import text_of
from tests.emulators.player import Play
from tests.emulators.rules import Asked, Issued, Refused, digest

LOST = "thinking of an earlier reply did not come back"
FIELDS = ("reasoning_content", "reasoning", "reasoning_details")


def add(asked: Asked, play: Play, message: dict, key: str) -> None:
    """Put the thinking into the message as the model does."""
    match asked.model.chat.thinking:
        case "reasoning_content" | "reasoning" as name:
            message[name] = play.thinking
        case "reasoning_details":
            seal = digest([key, play.thinking])
            message["reasoning"] = play.thinking
            detail = {"type": "reasoning.text", "text": play.thinking, "signature": seal, "index": 0}
            message["reasoning_details"] = [detail | {"format": "anthropic-claude-v1"}]
        case "parts":
            thought = [{"type": "text", "text": play.thinking}]
            text = [{"type": "text", "text": message["content"]}] if message["content"] else []
            message["content"] = [{"type": "thinking", "thinking": thought, "closed": True}, *text]
        case "signature":
            config = asked.body.get("extra_body", {}).get("google", {}).get("thinking_config", {})
            if config.get("include_thoughts"):
                message["content"] = f"<thought>{play.thinking}</thought>{message['content'] or ''}"
            for number, call in enumerate(message.get("tool_calls", ())):
                seal = digest([key, number, asked.account, asked.model.id])
                call["extra_content"] = {"google": {"thought_signature": seal}}


def check(asked: Asked, effort: str) -> None:
    """Raises Refused where earlier thinking must come back and does not."""
    for index, message in enumerate(asked.body["messages"]):
        if message["role"] != "assistant" or not message.get("tool_calls"):
            continue
        issued = asked.memory.by_id.get(message["tool_calls"][0]["id"])
        if asked.model.chat.thinking == "signature":
            _check_signatures(asked, index, message, issued)
        elif issued is not None:
            _check_fields(asked, index, message, issued, effort)


def _check_signatures(asked: Asked, index: int, message: dict, issued: Issued | None) -> None:
    original = issued.items[0]["tool_calls"] if issued else []
    sent = {call["id"]: _signature(call) for call in original}
    for call in message["tool_calls"]:
        name, signature = call["function"]["name"], _signature(call)
        if signature is None:
            if asked.forgiven:
                continue
            raise Refused(
                "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
                f"work correctly. Additional data, function call `default_api:{name}` in the {index + 1}. content "
                "block is missing a `thought_signature`."
            )
        if signature != sent.get(call["id"]):
            raise Refused("Corrupted thought signature.")
        if issued is not None and (issued.account, issued.model) != (asked.account, asked.model.id):
            raise Refused("Invalid thought signature.")


def _signature(call: dict) -> object:
    extra = call.get("extra_content")
    google = extra.get("google") if isinstance(extra, dict) else None
    return google.get("thought_signature") if isinstance(google, dict) else None


def _check_fields(asked: Asked, index: int, message: dict, issued: Issued, effort: str) -> None:
    original = issued.items[0]
    if asked.model.chat.thinking == "parts":
        if isinstance(original["content"], list) and message.get("content") != original["content"]:
            _refuse_or_remark(asked, index)
        return
    carried = [name for name in FIELDS if name in original]
    if not carried or effort == "none":
        return
    # Where two fields say the same, the last one is that to send back.
    name = carried[-1]
    if message.get(name) != original[name]:
        if name == "reasoning_details" and message.get(name):
            raise Refused("Invalid signature in reasoning_details: the blocks must come back unchanged.")
        _refuse_or_remark(asked, index)


def _refuse_or_remark(asked: Asked, index: int) -> None:
    if asked.model.chat.echo == "remark":
        if not asked.forgiven:
            asked.remark(LOST)
        return
    match asked.model.maker:
        case "deepseek":
            raise Refused("The reasoning_content in the thinking mode must be passed back to the API.")
        case "moonshot":
            raise Refused(
                f"thinking is enabled but reasoning_content is missing in assistant tool call message at index {index}"
            )
    text = text_of(asked.body["messages"][index].get("content"))
    raise Refused(f"messages[{index}].content is not the list that was sent with its thinking: {text[:40]!r}")
