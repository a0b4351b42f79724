"""How large a request can be at most, known before it is sent."""

from __future__ import annotations

import json

from agents.llm import Reply, Request, ToolResult

OVERHEAD_TOKENS = 1_500
"""What providers add to a request with tools: their own instructions and the frame of the chat."""

FRAME_TOKENS = 30
"""What a message, a call or a result adds to its text."""


def most_input_tokens(request: Request) -> int:
    """An upper bound of the input tokens: no byte-level tokenizer makes more tokens than there are bytes."""
    tools = sum(_bytes(tool.name, tool.description, json.dumps(tool.input_schema)) for tool in request.tools)
    turns = sum(
        _reply(turn.reply) + sum(map(_result, turn.results)) + _bytes(turn.prompt) + FRAME_TOKENS
        for turn in request.turns
    )
    return OVERHEAD_TOKENS + _bytes(request.system, request.prompt) + tools + turns


def _reply(reply: Reply) -> int:
    calls = sum(_bytes(call.id, call.name, call.raw, json.dumps(call.arguments)) + FRAME_TOKENS for call in reply.calls)
    return _bytes(reply.text) + calls + (_bytes(json.dumps(reply.blocks)) if reply.blocks else 0)


def _result(result: ToolResult) -> int:
    return _bytes(result.call_id, result.name, result.text) + FRAME_TOKENS


def _bytes(*texts: str) -> int:
    return sum(len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass")) for text in texts)
