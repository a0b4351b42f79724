"""Correct requests in each wire format: an opening with tools, and the chat after a reply; tests spoil them."""

from __future__ import annotations

import copy
import json
from contextlib import contextmanager
from functools import cache

import httpx2

from tests.emulators.families import FAMILIES
from tests.emulators.model import Model
from tests.emulators.player import Play, View
from tests.emulators.server import Emulator

KEY = "sk-emulated-0123456789"
PATHS = {"responses": "/v1/responses", "messages": "/v1/messages", "chat": "/v1/chat/completions"}
MARK = {"cache_control": {"type": "ephemeral"}}
SCHEMAS = {
    "get_budget": {"type": "object", "properties": {}},
    "get_offers": {"type": "object", "properties": {"period": {"type": "integer"}}},
    "submit_plan": {"type": "object", "properties": {"plan": {"type": "string"}}, "required": ["plan"]},
}


def look_then_act(view: View) -> Play:
    """Two calls, then the action; without tools a text."""
    if not view.tools:
        return Play(text="B")
    if not view.results or len(view.results) % 2:
        return Play(text="I look first.", calls=(("get_budget", {}), ("get_offers", {"period": 1})))
    return Play(text="I buy.", calls=(("submit_plan", {"plan": f"{{'A': {len(view.results)}}}"}),))


@cache
def client() -> httpx2.Client:
    return httpx2.Client(trust_env=False, verify=False)


class Asker:
    """Asks an emulator; `wire` is the first that its model takes unless another is named."""

    def __init__(self, emulator: Emulator, wire: str = ""):
        self.emulator, self.model = emulator, emulator.model
        self.wire = wire or self.model.wires[0]

    def post(self, body: dict, *, key: str = KEY, path: str = "", **headers: str) -> httpx2.Response:
        sent = {"authorization": f"Bearer {key}"}
        if self.wire == "messages":
            sent = {"x-api-key": key, "anthropic-version": "2026-10-21"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        return client().post(self.emulator.url + (path or PATHS[self.wire]), json=body, headers=sent)

    def get(self, path: str) -> httpx2.Response:
        return client().get(self.emulator.url + path, headers={"authorization": f"Bearer {KEY}"})

    def reply(self, body: dict, **options: str) -> dict:
        """The reply to a request that must be accepted."""
        answer = self.post(body, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def opening(self, **changes: object) -> dict:
        return json.loads(json.dumps(OPENINGS[self.wire](self.model))) | changes

    def after(self, body: dict, reply: dict) -> dict:
        """The same chat after a reply, with results of its calls and what the user says then."""
        return AFTER[self.wire](copy.deepcopy(body), copy.deepcopy(reply), self.model)

    def second(self) -> dict:
        """A correct second request of a chat whose first one was answered."""
        body = self.opening()
        return self.after(body, self.reply(body))


@contextmanager
def asking(model: Model | str, player=look_then_act, wire: str = ""):
    """An asker of an emulator of this model."""
    with Emulator(FAMILIES[model] if isinstance(model, str) else model, player) as emulator:
        yield Asker(emulator, wire)


def _responses(model: Model) -> dict:
    body: dict = {"model": model.id, "instructions": "You buy.", "store": False}
    body["input"] = [{"role": "user", "content": "Start."}]
    tools = [{"type": "function", "name": n, "description": n, "parameters": s} for n, s in SCHEMAS.items()]
    body["tools"] = [tool | {"strict": False} for tool in tools]
    body |= {"tool_choice": "required"}
    return body | ({"include": ["reasoning.encrypted_content"]} if model.reasons else {})


def _after_responses(body: dict, reply: dict, model: Model) -> dict:
    calls = [item for item in reply["output"] if item["type"] == "function_call"]
    body["input"] += reply["output"]
    body["input"] += [
        {"type": "function_call_output", "call_id": call["call_id"], "output": f"{call['name']}: 5"} for call in calls
    ]
    body["input"].append({"role": "user", "content": "Go on."})
    return body


def _messages(model: Model) -> dict:
    body: dict = {"model": model.id, "max_tokens": 4000, "system": [{"type": "text", "text": "You buy."} | MARK]}
    body["tools"] = [{"name": n, "description": n, "input_schema": s} for n, s in SCHEMAS.items()]
    body["tools"][-1] = body["tools"][-1] | MARK
    body["messages"] = [{"role": "user", "content": [{"type": "text", "text": "Start."} | MARK]}]
    return body | {"tool_choice": {"type": "auto" if model.forced == "no" else "any"}}


def _after_messages(body: dict, reply: dict, model: Model) -> dict:
    calls = [block for block in reply["content"] if block["type"] == "tool_use"]
    results: list[dict] = [
        {"type": "tool_result", "tool_use_id": call["id"], "content": f"{call['name']}: 5"} for call in calls
    ]
    # At most four marks: tools, system and the last two messages of the user.
    for message in body["messages"][:-1]:
        for block in message["content"]:
            block.pop("cache_control", None)
    body["messages"].append({"role": "assistant", "content": reply["content"]})
    body["messages"].append({"role": "user", "content": [*results, {"type": "text", "text": "Go on."} | MARK]})
    return body


def _chat(model: Model) -> dict:
    body: dict = {"model": model.id, "messages": [{"role": "user", "content": "Start."}]}
    if model.chat.system_role:
        body["messages"].insert(0, {"role": "system", "content": "You buy."})
    functions = [{"name": n, "description": n, "parameters": s} for n, s in SCHEMAS.items()]
    body["tools"] = [{"type": "function", "function": function} for function in functions]
    return body | ({"tool_choice": "required"} if model.forced == "yes" else {})


def _after_chat(body: dict, reply: dict, model: Model) -> dict:
    message = {name: value for name, value in reply["choices"][0]["message"].items() if name != "refusal"}
    body["messages"].append(message)
    for call in message.get("tool_calls", ()):
        result = f"{call['function']['name']}: 5"
        body["messages"].append({"role": "tool", "tool_call_id": call["id"], "content": result})
    if model.chat.user_after_tool:
        body["messages"].append({"role": "user", "content": "Go on."})
    return body


OPENINGS = {"responses": _responses, "messages": _messages, "chat": _chat}
AFTER = {"responses": _after_responses, "messages": _after_messages, "chat": _after_chat}
