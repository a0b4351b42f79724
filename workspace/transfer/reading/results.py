"""Logged chats: prompts, and tool results. The results of a reply are found only in the chat of the next query."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from agents.llm import Reply, ToolCall, ToolResult
from agents.tools import MAX_CHARACTERS, WRITE, storable
from environments.base import Environment, ToolError
from infrastructure.text.literals import NotALiteral, parse_literal

LAST_REPLY = "{'role': 'assistant'"
EARLIER_REPLY = "'role': 'assistant'"
INSTRUCTIONS = ("system", "developer")
CORRECTIONS = "Malformed input"
"""Beginnings of the published tools' error messages."""

NOT_TAKEN = "Ignored: the published code took no call after the one that ended this chat."


def is_new_chat(messages: str) -> bool:
    """Whether a chat has no reply yet after the period was restarted or the other agent's turn began.

    In chats with Google's models, the published code does not log replies that begin with text. Only the tool results
    that follow show that there was a reply.
    """
    turns = (
        message
        for message in _parsed(messages)
        if not isinstance(message, dict) or message.get("role") not in INSTRUCTIONS
    )
    return EARLIER_REPLY not in messages and len(list(turns)) < 2


def reply_with_results(
    messages: str, reply: Reply, dropped: tuple[ToolCall, ...]
) -> tuple[Reply, tuple[ToolResult, ...] | None]:
    """(reply as it is in the chat that continues after it, results of its calls).

    dropped: calls that the published code ignores; another version of it may have kept them

    The results are None unless there is one for each call. The counts differ if a text looks like
    the start of a message. Only the end of a chat is read, since each query logs the whole chat
    again.
    """
    if dropped and "'tool_calls'" in messages[messages.rfind(LAST_REPLY) :]:
        reply = replace(reply, calls=dropped)
    texts: list[str] = []
    with suppress(TypeError, AttributeError, IndexError, KeyError):
        texts = _answers(messages) if reply.calls else []
    if not reply.calls or len(texts) != len(reply.calls):
        return reply, None
    return reply, tuple(
        ToolResult(call.id, call.name, text, is_error=text.startswith(CORRECTIONS))
        for call, text in zip(reply.calls, texts, strict=True)
    )


def end_of_chat(reply: Reply, environment: Environment, seat: str, *, acted: bool) -> tuple[ToolResult, ...] | None:
    """The results of a chat's last reply, with a mark at calls that were not carried out; None if all were.

    acted: whether an action in the reply ended the period; otherwise a call failed and the period was restarted
    """
    ends = (_action_at if acted else _failed_at)(reply, environment, seat)
    if ends is None or ends + 1 >= len(reply.calls):
        return None
    return tuple(
        ToolResult(call.id, call.name, NOT_TAKEN if index > ends else "", ignored=index > ends)
        for index, call in enumerate(reply.calls)
    )


def _failed_at(reply: Reply, environment: Environment, seat: str) -> int | None:
    """The index of the first call that was no valid call of another tool than the action's; None without one."""
    other_tools = {tool.name for tool in environment.tools(seat)} - {environment.action_tool}
    return next(
        (
            index
            for index, call in enumerate(reply.calls)
            if call.arguments is None
            or call.name not in other_tools
            or (call.name == WRITE and "notes" not in call.arguments)
        ),
        None,
    )


def _action_at(reply: Reply, environment: Environment, seat: str) -> int | None:
    """The index of the first valid action, else of the last action; None without an action.

    The published code accepted some invalid actions.
    """
    last = None
    for index, call in enumerate(reply.calls):
        if call.name == environment.action_tool:
            last = index
            with suppress(ToolError):
                environment.parse_action((call.arguments or {}).get(environment.action_argument), seat)
                return index
    return last


def _answers(messages: str) -> list[str]:
    """The texts of the tool results after the last reply of a chat, for every provider's format."""
    start = max(0, messages.rfind(LAST_REPLY))
    after = _parsed("[" + messages[start:]) if start else _parsed(messages)
    last = after[-1]
    if "parts" in last:  # Google: results, then the next prompt, as parts of one message
        return [_text(part) for part in last["parts"][:-1]] if isinstance(last["parts"], list) else []
    if answers := [message for message in after if message.get("role") == "tool"]:  # OpenAI: one message per result
        return [_text(message["content"]) for message in answers]
    # Anthropic: blocks of one message
    return [_text(block["content"]) for block in last["content"] if block.get("type") == "tool_result"]


def system_text(cell: str) -> str:
    """The system prompt, which is a text or a list of blocks."""
    if cell.lstrip().startswith("["):
        try:
            cell = "".join(str(block.get("text", "")) for block in parse_literal(cell) if isinstance(block, dict))
        except NotALiteral:
            return storable(cell)
    return storable(cell.strip())


def first_prompt(cell: str) -> str:
    """The first user message of a chat, or an empty text."""
    for message in _parsed(cell):
        if isinstance(message, dict) and message.get("role") == "user":
            content = message.get("content", message.get("parts", ""))
            parts = content if isinstance(content, list) else [str(content)]
            return system_text("".join(str(part.get("text", "") if isinstance(part, dict) else part) for part in parts))
    return ""


def _parsed(messages: str) -> list[Any]:
    try:
        parsed = parse_literal(messages)
    except NotALiteral:
        return []
    return parsed if isinstance(parsed, list) else []


def _text(content: Any) -> str:
    text = "".join(part["text"] for part in content) if isinstance(content, list) else str(content)
    return storable(text[:MAX_CHARACTERS])
