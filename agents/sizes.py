"""Upper bound of the size of a request, before it is sent."""

from __future__ import annotations

import json

from agents.llm import Reply, Request

OVERHEAD_TOKENS = 1_500
"""Tokens that providers add to a request: their instructions for tools and the frame of the chat."""

FRAME_TOKENS = 30
"""Tokens that a message, call or result needs besides its text."""


def most_input_tokens(request: Request) -> int:
    """Upper bound of the input tokens: byte-level tokenizers make at most one token of a byte."""
    tools = sum(_bytes(tool.name, tool.description, json.dumps(tool.input_schema)) for tool in request.tools)
    turns = sum(
        _reply(turn.reply)
        + sum(_bytes(result.call_id, result.name, result.text) + FRAME_TOKENS for result in turn.results)
        + _bytes(turn.prompt)
        + FRAME_TOKENS
        for turn in request.turns
    )
    return OVERHEAD_TOKENS + _bytes(request.system, request.prompt) + tools + turns


def _reply(reply: Reply) -> int:
    calls = sum(_bytes(call.id, call.name, call.raw, json.dumps(call.arguments)) + FRAME_TOKENS for call in reply.calls)
    return _bytes(reply.text) + calls + (_bytes(json.dumps(reply.blocks)) if reply.blocks else 0)


def _bytes(*texts: str) -> int:
    return sum(len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass")) for text in texts)
