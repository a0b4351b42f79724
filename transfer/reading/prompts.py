"""The prompts in published logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.notes import storable
from transfer.reading.literals import NotALiteral, parse_literal


def system_text(cell: str) -> str:
    """The system prompt, which is a text or a list of blocks."""
    if cell.lstrip().startswith("["):
        try:
            blocks = parse_literal(cell)
        except NotALiteral:
            return storable(cell)
        cell = "".join(str(block.get("text", "")) for block in blocks if isinstance(block, dict))
    return storable(cell.strip())


def first_prompt(cell: str) -> str:
    """The first user message of a chat, or an empty text."""
    try:
        messages = parse_literal(cell) if cell else []
    except NotALiteral:
        return ""
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict) and message.get("role") == "user":
            return system_text(_content(message))
    return ""


def _content(message: Mapping[Any, Any]) -> str:
    content = message.get("content", message.get("parts", ""))
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) if isinstance(part, dict) else str(part) for part in content)
    return str(content)
