"""Upper bound of the size of a request, before it is sent."""

import json

from agents.llm import Request

OVERHEAD_TOKENS = 1_500
"""Tokens that providers add to a request: their instructions for tools and the frame of the chat."""

FRAME_TOKENS = 30
"""Tokens that a message, call or result needs besides its text."""


def most_input_tokens(request: Request) -> int:
    """Upper bound of the input tokens: byte-level tokenizers make at most one token of a byte."""
    texts = [request.system, request.prompt]
    frames = 0
    for tool in request.tools:
        texts += [tool.name, tool.description, json.dumps(tool.input_schema)]
    for turn in request.turns:
        reply = turn.reply
        texts += [reply.text, turn.prompt, json.dumps(reply.blocks) if reply.blocks else ""]
        for call in reply.calls:
            texts += [call.id, call.name, call.raw, json.dumps(call.arguments)]
        for result in turn.results:
            texts += [result.call_id, result.name, result.text]
        frames += 1 + len(reply.calls) + len(turn.results)
    size = sum(len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return OVERHEAD_TOKENS + size + frames * FRAME_TOKENS
