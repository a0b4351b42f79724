"""What the tools answered: it stands in the chat that the next query was logged with, and nowhere else."""

from __future__ import annotations

from typing import Any

from agents.llm import Reply, ToolResult
from agents.notes import MAX_CHARACTERS, storable
from runs.importing.literals import NotALiteral, parse_literal

LAST_REPLY = "{'role': 'assistant'"
CORRECTIONS = "Malformed input"
"""How the published tools begin to say that a call was wrong."""


def read_results(messages: str, reply: Reply) -> tuple[ToolResult, ...] | None:
    """The answers to the calls of `reply`, the last of a chat; None where they cannot be told apart.

    Only the end of the chat is read: it is logged anew with every query. A text that looks like the beginning of a
    message makes the numbers differ, and the answers are then left out.
    """
    start = messages.rfind(LAST_REPLY)
    if start < 0 or not reply.calls:
        return None
    try:
        after = parse_literal("[" + messages[start:])[1:]
        texts = _of_tools(after) or _of_blocks(after)
    except (NotALiteral, RecursionError, TypeError, AttributeError, IndexError):
        return None
    if len(texts) != len(reply.calls):
        return None
    return tuple(
        ToolResult(call.id, call.name, text, is_error=text.startswith(CORRECTIONS))
        for call, text in zip(reply.calls, texts, strict=True)
    )


def _of_tools(messages: list[Any]) -> list[str]:
    """OpenAI's form: a message for every answer."""
    return [_text(message["content"]) for message in messages if message.get("role") == "tool"]


def _of_blocks(messages: list[Any]) -> list[str]:
    """Anthropic's form: blocks of one message; Google's: the answers and then the next prompt as parts of one message."""
    message = messages[0]
    if "parts" in message:
        return [_text(part) for part in message["parts"][:-1]]
    return [_text(block["content"]) for block in message["content"] if block.get("type") == "tool_result"]


def _text(content: Any) -> str:
    if isinstance(content, list):
        content = "".join(part["text"] for part in content)
    return storable(str(content)[:MAX_CHARACTERS])
