"""Three providers' replies and chats, to and from the blocks of text and calls that the published loop works with.

The code's own gaps are kept: calls beside a text are ignored in OpenAI's replies, and a reply of Google that begins with text
is left out of the next chat.
"""

import ast
import json

MODELS = {"anthropic": "claude-3-5-sonnet-20241022", "openai": "gpt-4o-2024-11-20", "google": "gemini-1.5-pro-002"}


def text(said):
    return {"type": "text", "text": said}


def call(name, **arguments):
    return {"type": "tool_use", "id": f"call_{name}", "name": name, "input": arguments}


def _write_anthropic(blocks):
    usage = {"input_tokens": 60, "output_tokens": 40}
    return {"content": blocks, "model": MODELS["anthropic"], "stop_reason": "tool_use", "usage": usage}


def _write_openai(blocks):
    said = "".join(block["text"] for block in blocks if block["type"] == "text")
    calls = [
        {"id": b["id"], "type": "function", "function": {"name": b["name"], "arguments": json.dumps(b["input"])}}
        for b in blocks
        if b["type"] == "tool_use"
    ]
    message = {"role": "assistant", "content": said or None} | ({"tool_calls": calls} if calls else {})
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    return {"choices": [choice], "model": MODELS["openai"], "usage": {"prompt_tokens": 60, "completion_tokens": 40}}


def _google_call(block):
    return {"function_call": {"name": block["name"], "args": block["input"]}}


def _write_google(blocks):
    parts = [{"text": b["text"]} if b["type"] == "text" else _google_call(b) for b in blocks]
    usage = {"prompt_token_count": 60, "candidates_token_count": 40}
    return {"candidates": [{"content": {"parts": parts, "role": "model"}, "finish_reason": 1}], "usage_metadata": usage}


def _read_openai(completion):
    message = completion["choices"][0]["message"]
    if message["content"]:
        return [text(message["content"])]
    return [
        {"id": made["id"], **call(made["function"]["name"], **_arguments(made["function"]["arguments"]))}
        for made in message.get("tool_calls", [])
    ]


def _arguments(written):
    return json.loads(written) if written.startswith('{"') else ast.literal_eval(written)


def _read_google(completion):
    parts = completion["candidates"][0]["content"]["parts"]
    made = [part.get("function_call") for part in parts]
    return [call(m["name"], **m["args"]) if m else text(p["text"]) for m, p in zip(made, parts, strict=True)]


def _show_openai(messages):
    shown = [{"role": "system", "content": "Be an agent."}, messages[0]]
    for message in messages[1:]:
        blocks = message["content"]
        if message["role"] == "assistant":
            said = [{"type": "text", "content": block["text"]} for block in blocks if block["type"] == "text"]
            calls = [
                {"id": b["id"], "function": {"arguments": str(b["input"]), "name": b["name"]}, "type": "function"}
                for b in blocks
                if b["type"] == "tool_use"
            ]
            shown.append({"role": "assistant", "content": said} | ({"tool_calls": calls} if calls else {}))
            continue
        for block in blocks:
            if block["type"] == "tool_result":
                shown.append({"role": "tool", "tool_call_id": block["tool_use_id"], "content": block["content"]})
            else:
                shown.append({"role": "user", "content": block["text"]})
    return shown


def _show_google(messages):
    shown = [{"role": "user", "parts": messages[0]["content"]}]
    for message in messages[1:]:
        blocks = message["content"]
        if message["role"] == "user":
            parts = [block["content"] if block["type"] == "tool_result" else block["text"] for block in blocks]
            shown.append({"role": "user", "parts": parts})
        elif blocks and blocks[0]["type"] == "tool_use":
            shown.append({"role": "assistant", "parts": [_google_call(block) for block in blocks]})
    return shown


WRITERS = {"anthropic": _write_anthropic, "openai": _write_openai, "google": _write_google}
READERS = {"anthropic": lambda completion: completion["content"], "openai": _read_openai, "google": _read_google}
SHOWN = {"anthropic": lambda messages: messages, "openai": _show_openai, "google": _show_google}
