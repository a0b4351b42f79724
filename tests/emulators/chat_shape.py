"""The form of messages in the Chat Completions interface: roles, pairs of calls and results, chat templates."""

from __future__ import annotations

import re

from tests.emulators.rules import TOOL_NAME, Asked, Refused

ROLES = ("system", "developer", "user", "assistant", "tool")
NINE = re.compile(r"[a-zA-Z0-9]{9}")


def text_of(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if part.get("type") == "text")
    return content if isinstance(content, str) else ""


def check_messages(asked: Asked) -> None:
    """Raises Refused."""
    messages = asked.body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused("Missing required parameter: 'messages'.", param="messages", code="missing_required_parameter")
    before = ""
    for index, message in enumerate(messages):
        role = message.get("role")
        if role not in ROLES:
            raise Refused(f"Invalid value: '{role}'.", param=f"messages[{index}].role", code="invalid_value")
        if role == "system" and not asked.model.chat.system_role:
            raise Refused("System role not supported")
        if role == "user" and before == "tool" and not asked.model.chat.user_after_tool:
            raise Refused("Unexpected role 'user' after role 'tool'", kind="invalid_request_message_order", code="3230")
        _check_content(index, message)
        if role == "assistant":
            _check_calls(asked, index, message)
        before = role
    _check_pairs(messages)


def _check_content(index: int, message: dict) -> None:
    content, calls = message.get("content"), message.get("tool_calls")
    if content is None and message["role"] == "assistant" and calls:
        return
    if not isinstance(content, str | list) or (message["role"] == "assistant" and not content and not calls):
        path = f"messages.[{index}].content"
        raise Refused(f"Invalid value for 'content': expected a string, got {content!r}.", param=path)


def _check_calls(asked: Asked, index: int, message: dict) -> None:
    calls = message.get("tool_calls")
    if calls is None:
        return
    path = f"messages[{index}].tool_calls"
    if not isinstance(calls, list) or not calls:
        raise Refused(f"Invalid '{path}': empty array.", param=path, code="empty_array")
    for call in calls:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(call.get("id"), str) or call.get("type") != "function":
            raise Refused(f"Missing required parameter: '{path}[0]'.", param=path, code="missing_required_parameter")
        if not TOOL_NAME.fullmatch(str(function.get("name"))):
            raise Refused(f"Invalid '{path}[0].function.name': string does not match pattern.", param=path)
        if not isinstance(function.get("arguments"), str):
            raise Refused(f"Invalid type for '{path}[0].function.arguments': expected a string.", param=path)
        if asked.model.chat.nine_letter_ids and not NINE.fullmatch(call["id"]):
            raise Refused(
                f"Tool call id was {call['id']} but must be a-z, A-Z, 0-9, with a length of 9.",
                kind="invalid_request_function_call",
                code="3280",
            )


def _check_pairs(messages: list[dict]) -> None:
    """The messages after one with calls answer each of them once."""
    waiting: list[str] = []
    for index, message in enumerate([*messages, {"role": ""}]):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in waiting:
                raise Refused(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceding message "
                    "with 'tool_calls'.",
                    param=f"messages.[{index}].role",
                )
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            raise Refused(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}",
                param=f"messages.[{index}].role",
            )
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
