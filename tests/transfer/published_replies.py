"""What a provider answered and what it was told next, as the published code keeps them, for each of three providers."""

from __future__ import annotations

import json
from typing import Any


def _anthropic(model: str, name: str, arguments: dict[str, Any], number: str) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "content": [
            {"text": "Let me see.", "type": "text"},
            {"id": number, "input": arguments, "name": name, "type": "tool_use"},
        ],
        "model": model,
        "role": "assistant",
        "stop_reason": "tool_use",
        "usage": {
            "cache_creation_input_tokens": 10,
            "cache_read_input_tokens": 20,
            "input_tokens": 30,
            "output_tokens": 40,
        },
    }


def _openai(model: str, name: str, arguments: dict[str, Any], number: str) -> dict[str, Any]:

    call = {"id": number, "function": {"arguments": json.dumps(arguments), "name": name}, "type": "function"}
    return {
        "id": "chatcmpl-1",
        "choices": [
            {
                "finish_reason": "tool_calls",
                "index": 0,
                "message": {"content": None, "role": "assistant", "tool_calls": [call]},
            }
        ],
        "model": model,
        "usage": {"completion_tokens": 40, "prompt_tokens": 60, "prompt_tokens_details": {"cached_tokens": 20}},
    }


def _google(model: str, name: str, arguments: dict[str, Any], number: str) -> dict[str, Any]:
    parts = [{"function_call": {"name": name, "args": arguments}}]
    return {
        "candidates": [{"content": {"parts": parts, "role": "model"}, "finish_reason": 1, "avg_logprobs": -0.01}],
        "usage_metadata": {"prompt_token_count": 60, "candidates_token_count": 40, "total_token_count": 100},
    }


def _anthropic_answers(name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    result = {"type": "tool_result", "tool_use_id": "x", "content": ANSWER}
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "name": name, "input": arguments}]},
        {"role": "user", "content": [result, {"type": "text", "text": "Now use more tools."}]},
    ]


def _openai_answers(name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    call = {"id": "x", "function": {"arguments": str(arguments), "name": name}, "type": "function"}
    return [
        {"role": "assistant", "content": [], "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "x", "content": ANSWER},
        {"role": "user", "content": "Now use more tools."},
    ]


def _google_answers(name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"role": "assistant", "parts": [{"function_call": {"name": name, "args": arguments}}]},
        {"role": "user", "parts": [ANSWER, "Now use more tools."]},
    ]


ANSWER = "Successfully wrote notes."
ANSWERS = {"anthropic": _anthropic_answers, "openai": _openai_answers, "google": _google_answers}
COMPLETIONS = {"anthropic": _anthropic, "openai": _openai, "google": _google}
