"""The form of messages and tools in the Messages interface: pairs of calls and results, no blank text."""

from __future__ import annotations

import re

from tests.emulators.rules import TOOL_NAME, Asked, Refused

CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
BLOCKS = {"text", "tool_use", "tool_result", "thinking", "redacted_thinking"}
NO_MARKS = ("thinking", "redacted_thinking")


def blocks_of(message: dict) -> list[dict]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content) if isinstance(content, list) else ""


def check_tools(tools: list[dict]) -> list[str]:
    """The names of the tools. Raises Refused."""
    names: list[str] = []
    for index, tool in enumerate(tools):
        for name in ("name", "input_schema"):
            if name not in tool:
                raise Refused(f"tools.{index}.custom.{name}: Field required")
        unknown = sorted(
            set(tool)
            - {"name", "input_schema", "description", "cache_control", "type", "strict", "eager_input_streaming"}
        )
        if unknown:
            raise Refused(f"tools.{index}.custom.{unknown[0]}: Extra inputs are not permitted")
        if not TOOL_NAME.fullmatch(tool["name"]):
            raise Refused(f"tools.{index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        if tool["input_schema"].get("type") != "object":
            raise Refused(f"tools.{index}.custom.input_schema.type: Input should be 'object'")
        if tool["name"] in names:
            raise Refused("tools: Tool names must be unique.")
        names.append(tool["name"])
    return names


def check_messages(asked: Asked) -> None:
    """Raises Refused for what the interface says about `system` and `messages`."""
    body = asked.body
    system = body.get("system")
    if isinstance(system, list):
        _check_texts("system", system)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused("messages: at least one message is required")
    for index, message in enumerate(messages):
        _check_message(index, message)
    if messages[0]["role"] != "user":
        raise Refused('messages: first message must use the "user" role')
    if messages[-1]["role"] != "user" and not asked.model.prefill:
        raise Refused(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )
    _check_pairs(messages)


def _check_message(index: int, message: dict) -> None:
    path = f"messages.{index}"
    if message.get("role") not in ("user", "assistant"):
        raise Refused(f"{path}.role: Input should be 'user' or 'assistant'")
    if unknown := sorted(set(message) - {"role", "content"}):
        raise Refused(f"{path}.{unknown[0]}: Extra inputs are not permitted")
    content = message.get("content")
    if not content or not isinstance(content, str | list):
        raise Refused(
            f"{path}: all messages must have non-empty content except for the optional final assistant message"
        )
    blocks = blocks_of(message)
    _check_texts(f"{path}.content", blocks)
    for number, block in enumerate(blocks):
        _check_block(f"{path}.content.{number}", block, message["role"])


def _check_block(path: str, block: dict, role: str) -> None:
    kind = block.get("type")
    if kind not in BLOCKS:
        raise Refused(f"{path}: Input tag '{kind}' does not match any of the expected tags")
    if kind in NO_MARKS and "cache_control" in block:
        raise Refused(f"{path}.{kind}.cache_control: Extra inputs are not permitted")
    if role == "user" and kind in (*NO_MARKS, "tool_use"):
        raise Refused(f"{path}: `{kind}` blocks can only be in `assistant` messages")
    if role == "assistant" and kind == "tool_result":
        raise Refused(f"{path}: `tool_result` blocks can only be in `user` messages")
    if kind == "tool_use":
        if not CALL_ID.fullmatch(str(block.get("id"))):
            raise Refused(f"{path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
        if not TOOL_NAME.fullmatch(str(block.get("name"))):
            raise Refused(f"{path}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        if not isinstance(block.get("input"), dict):
            raise Refused(f"{path}.tool_use.input: Input should be a valid dictionary")


def _check_texts(path: str, blocks: list[dict]) -> None:
    for block in blocks:
        if block.get("type") == "text" and not str(block.get("text") or "").strip():
            name = path.partition(".")[0]
            state = "contain non-whitespace text" if block.get("text") else "be non-empty"
            raise Refused(f"{name}: text content blocks must {state}")


def _check_pairs(messages: list[dict]) -> None:
    """The calls of a message are answered at the beginning of the next one, all of them and no others."""
    used: set[str] = set()
    for index, message in enumerate(messages):
        calls = [block["id"] for block in blocks_of(message) if block["type"] == "tool_use"]
        if repeated := sorted({call for call in calls if call in used or calls.count(call) > 1}):
            raise Refused(f"messages.{index}: `tool_use` ids must be unique: {repeated[0]}")
        used |= set(calls)
        following = blocks_of(messages[index + 1]) if index + 1 < len(messages) else []
        _check_results(index, calls, following)
    if any(block["type"] == "tool_result" for block in blocks_of(messages[0])):
        raise _unexpected(0, blocks_of(messages[0])[0].get("tool_use_id"))


def _check_results(index: int, calls: list[str], following: list[dict]) -> None:
    kinds = [block["type"] == "tool_result" for block in following]
    results = [block.get("tool_use_id") for block in following if block["type"] == "tool_result"]
    for result in results:
        if result not in calls or results.count(result) > 1:
            raise _unexpected(index + 1, result)
    missing = [call for call in calls if call not in results]
    if missing or kinds != sorted(kinds, reverse=True):
        named = ", ".join(missing or calls)
        raise Refused(
            f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {named}. "
            "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
        )


def _unexpected(index: int, result: object) -> Refused:
    return Refused(
        f"messages.{index}.content.0: unexpected `tool_use_id` found in `tool_result` blocks: {result}. "
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
    )
