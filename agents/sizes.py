"""Upper bounds of the tokens of a request before it is sent, and of token counts that a provider does not report."""

import json
from dataclasses import replace

from agents.llm import Reply, Request, Usage

OVERHEAD_TOKENS = 1_500
"""Tokens that providers add to a request: their instructions for tools and the frame of the chat."""

FRAME_TOKENS = 30
"""Tokens that a message, call or result needs in addition to its text."""

DECLARED_OUTPUT_TOKENS = 32_000
"""Assumed maximum output of a call if its agent has no limit."""


def most_input_tokens(request: Request) -> int:
    """Upper bound of the input tokens. Byte-level tokenizers make at most one token of a byte.

    Thinking that goes back to the provider counts with the tokens with which it was generated, however long its encryption.
    """
    texts = [request.system, request.prompt]
    frames = thinking = 0
    texts += [part for tool in request.tools for part in (tool.name, tool.description, json.dumps(tool.input_schema))]
    for turn in request.turns:
        reply = turn.reply
        texts += [reply.text, turn.prompt]
        if reply.usage.estimated:
            texts += [json.dumps(reply.blocks)]
        elif reply.blocks:
            thinking += reply.usage.output_tokens
        texts += [part for call in reply.calls for part in (call.id, call.name, call.raw, json.dumps(call.arguments))]
        texts += [part for result in turn.results for part in (result.call_id, result.name, result.text)]
        frames += 1 + len(reply.calls) + len(turn.results)
    size = sum(len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return OVERHEAD_TOKENS + size + thinking + frames * FRAME_TOKENS


def bounded(reply: Reply, request: Request, limit: int | None) -> Usage:
    """The usage of a reply, with an upper bound for each token count that the provider does not report.

    limit: the output limit that was sent, None for the provider's default
    """
    usage = reply.usage
    if not usage.input_tokens:
        usage = replace(usage, input_tokens=most_input_tokens(request), estimated=True)
    wrote = reply.text or reply.calls or reply.thinking or reply.stop == "max_tokens"
    if not usage.output_tokens and wrote:
        usage = replace(usage, output_tokens=limit or DECLARED_OUTPUT_TOKENS, estimated=True)
    # Some reports name a part that is larger than its whole; reduce it to the whole.
    cached = min(usage.cached_tokens, usage.input_tokens)
    written = min(usage.cache_write_tokens, usage.input_tokens - cached)
    hour, reasoning = min(usage.cache_hour_tokens, written), min(usage.reasoning_tokens, usage.output_tokens)
    return replace(
        usage, cached_tokens=cached, cache_write_tokens=written, cache_hour_tokens=hour, reasoning_tokens=reasoning
    )
