"""Chats as the published code leads them: what it takes of a reply, what it says next, and what it logs of both.

A script says what a model answers, in blocks of text and calls. The three providers' replies are turned into the blocks
that the published loop works with, and the chat back into each provider's messages, with that code's own gaps: calls beside
a text are passed over in OpenAI's replies, and a reply of Google that begins with text is left out of the next chat.
"""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from environments.base import Environment
from environments.registry import ENVIRONMENTS, generate
from tests.transfer.published_games import CLOSING, parameters_of
from tests.transfer.published_log import COLUMNS, MODELS, PROMPT, write_csv

STAMPS = ("request_timestamp", "response_timestamp")
REPLY_PROMPT = "Now use more tools."
Block = dict[str, Any]
Script = Callable[["Talk"], list[Block]]


def text(said: str) -> Block:
    return {"type": "text", "text": said}


def call(name: str, **arguments: Any) -> Block:
    return {"type": "tool_use", "id": f"call_{name}", "name": name, "input": arguments}


class Failed(Exception):
    """A tool failed, so the period is tried again in a new chat."""


@dataclass
class Talk:
    """Where a chat is; what the model is asked next depends on it."""

    game: Environment
    seat: str
    chat: int = 0
    query: int = 0

    @property
    def action(self) -> Block:
        """A call that ends the period."""
        parameters = self.game.instance.parameters
        if self.game.name == "scheduling":
            plan: dict[str, Any] = dict(zip(parameters["workers"], parameters["tasks"], strict=True))
        elif self.game.name == "procurement":
            plan = {offer["id"]: 1 for offer in parameters["offers"]}
        else:
            plan = dict.fromkeys(parameters["products"], 2.5)
        return call(self.game.action_tool, **{self.game.action_argument: str(plan)})


@dataclass
class Told:
    """What truly happened, to compare an import with: notes by (period, seat), and the calls carried out by (period, seat,
    chat, query) with their answers, None in the last query of a chat, whose answers no log holds."""

    notes: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    calls: dict[tuple[int, str, int, int], list[tuple[str, str | None]]] = field(default_factory=dict)


@dataclass
class Clock:
    """The local time of the machine that the published code ran on. step: seconds between a query and its answer"""

    now: datetime = datetime(2025, 3, 1, 10, 0, 0)
    step: int = 3

    def stamps(self) -> dict[str, str]:
        sent, self.now = self.now, self.now + timedelta(seconds=self.step)
        return {name: f"{at:%Y-%m-%d %H:%M:%S}" for name, at in zip(STAMPS, (sent, self.now), strict=True)}


def write_chats(
    root: Path,
    environment: str,
    wire: str,
    script: Script,
    *,
    periods: int = 2,
    clock: Clock | None = None,
    created: int | None = None,
    change: Callable[[dict[str, Any]], None] = lambda completion: None,
    name: str = "2025-03-01-10-00-00__run",
) -> Told:
    """A folder of a run in which a model answers by the script. change: edits each provider's answer before it is logged"""
    difficulty = "STANDARD" if "_vs_" in environment else "BASIC"
    instance = generate(environment, difficulty, 0, "published")
    game = ENVIRONMENTS[environment](instance, variant="main", periods=periods)
    folder = root / (name if environment != "collusiveness_vs_competitiveness" else f"{name}__{periods}__2agent__x")
    column, rows, told = COLUMNS[environment][0], [], Told()
    for period in range(periods):
        actions = {}
        for seat in game.seats:
            for row, action in _chats(game, seat, wire, script, told):
                if row:
                    change(row["completion"])
                    if created is not None:
                        row["completion"]["created"] = created = created + 3
                    row |= clock.stamps() if clock else {}
                    rows.append({column: period, "model": MODELS[wire], "system": "Be an agent."} | row)
                else:
                    actions[seat] = action
        outcome = game.step(game.joint_action(actions))
        rows.append({column: period} | CLOSING[environment](game, outcome))
    write_csv(folder / "logs.csv", [*COLUMNS[environment], *(STAMPS if clock else ())], rows)
    parameters = parameters_of(environment, instance, 0, periods, MODELS[wire], "main")
    write_csv(folder / "global_params.csv", list(parameters), [parameters])
    return told


def stamp(folder: Path, clock: Clock) -> None:
    """Give every query of a written log the columns of time that newer versions of the published code write."""
    with (folder / "logs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    stamped = [row | (clock.stamps() if row["completion"] else dict.fromkeys(STAMPS, "")) for row in rows]
    write_csv(folder / "logs.csv", list(stamped[0]), stamped)


def _chats(game: Environment, seat: str, wire: str, script: Script, told: Told) -> Iterator[tuple[Any, Any]]:
    """The rows of a period, each with nothing beside it, then the action."""
    talk = Talk(game, seat)
    while True:
        messages: list[dict[str, Any]] = [{"role": "user", "content": PROMPT}]
        for talk.query in range(40):
            completion = WRITERS[wire](script(talk))
            shown = str(SHOWN[wire](messages))
            yield {"messages": shown, "completion": completion, "temperature": 1}, None
            blocks = READERS[wire](json.loads(json.dumps(completion)))
            messages.append({"role": "assistant", "content": blocks})
            place = (game.period, seat, talk.chat, talk.query)
            try:
                results, action = _use(blocks, talk, told)
            except Failed:
                told.calls[place] = [(name, None) for name, _ in told.calls[place]]
                break
            if action is not None:
                told.calls[place] = [(name, None) for name, _ in told.calls[place]]
                yield None, action
                return
            messages.append({"role": "user", "content": [*results, text(REPLY_PROMPT)]})
        talk.chat += 1


def _use(blocks: list[Block], talk: Talk, told: Told) -> tuple[list[Block], dict[str, Any] | None]:
    made = told.calls.setdefault((talk.game.period, talk.seat, talk.chat, talk.query), [])
    results = []
    for block in blocks:
        if block["type"] != "tool_use":
            continue
        if block["name"] == "write_notes" and "notes" in block["input"]:
            told.notes.setdefault((talk.game.period, talk.seat), []).append(block["input"]["notes"])
            answer = "Successfully wrote notes."
        elif block["name"] == talk.game.action_tool:
            made.append((block["name"], None))
            found = ast.literal_eval(block["input"][talk.game.action_argument])
            if found != {}:
                return results, talk.game.parse_action(found, talk.seat)
            raise Failed
        elif block["name"] == "get_attempt_number":
            answer = str({"attempt_number": talk.game.period})
        else:
            made.append((block["name"], None))
            raise Failed
        made.append((block["name"], answer))
        results.append({"type": "tool_result", "tool_use_id": block["id"], "content": answer})
    return results, None


def _write_anthropic(blocks: list[Block]) -> dict[str, Any]:
    usage = {"input_tokens": 60, "output_tokens": 40}
    return {"content": blocks, "model": MODELS["anthropic"], "stop_reason": "tool_use", "usage": usage}


def _write_openai(blocks: list[Block]) -> dict[str, Any]:
    said = "".join(block["text"] for block in blocks if block["type"] == "text")
    calls = [
        {"id": b["id"], "type": "function", "function": {"name": b["name"], "arguments": json.dumps(b["input"])}}
        for b in blocks
        if b["type"] == "tool_use"
    ]
    message = {"role": "assistant", "content": said or None} | ({"tool_calls": calls} if calls else {})
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    return {"choices": [choice], "model": MODELS["openai"], "usage": {"prompt_tokens": 60, "completion_tokens": 40}}


def _write_google(blocks: list[Block]) -> dict[str, Any]:
    parts = [
        {"text": block["text"]}
        if block["type"] == "text"
        else {"function_call": {"name": block["name"], "args": block["input"]}}
        for block in blocks
    ]
    usage = {"prompt_token_count": 60, "candidates_token_count": 40}
    return {"candidates": [{"content": {"parts": parts, "role": "model"}, "finish_reason": 1}], "usage_metadata": usage}


def _read_openai(completion: dict[str, Any]) -> list[Block]:
    message = completion["choices"][0]["message"]
    if message["content"]:
        return [text(message["content"])]
    return [
        {"id": made["id"], **call(made["function"]["name"], **_arguments(made["function"]["arguments"]))}
        for made in message.get("tool_calls", [])
    ]


def _arguments(written: str) -> dict[str, Any]:
    return json.loads(written) if written.startswith('{"') else ast.literal_eval(written)


def _read_google(completion: dict[str, Any]) -> list[Block]:
    parts = completion["candidates"][0]["content"]["parts"]
    return [
        call(part["function_call"]["name"], **part["function_call"]["args"])
        if "function_call" in part
        else text(part["text"])
        for part in parts
    ]


def _show_openai(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = [{"role": "system", "content": "Be an agent."}, messages[0]]
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


def _show_google(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = [{"role": "user", "parts": messages[0]["content"]}]
    for message in messages[1:]:
        blocks = message["content"]
        if message["role"] == "user":
            parts = [block["content"] if block["type"] == "tool_result" else block["text"] for block in blocks]
            shown.append({"role": "user", "parts": parts})
        elif blocks and blocks[0]["type"] == "tool_use":
            parts = [{"function_call": {"name": block["name"], "args": block["input"]}} for block in blocks]
            shown.append({"role": "assistant", "parts": parts})
    return shown


WRITERS = {"anthropic": _write_anthropic, "openai": _write_openai, "google": _write_google}
READERS = {"anthropic": lambda completion: completion["content"], "openai": _read_openai, "google": _read_google}
SHOWN = {"anthropic": lambda messages: messages, "openai": _show_openai, "google": _show_google}
