"""Chats as the published code leads them. A script says what a model answers, in blocks of text and calls."""

import ast
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from environments.base import Environment
from environments.registry import ENVIRONMENTS, generate
from tests.workspace.transfer.published_games import closing, parameters_of
from tests.workspace.transfer.published_log import COLUMNS, PROMPT, REPLY_PROMPT, RUN, edit, write_csv
from tests.workspace.transfer.published_replies import MODELS, READERS, SHOWN, WRITERS, call, text

STAMPS = ("request_timestamp", "response_timestamp")


@dataclass
class Talk:
    """The state of a chat, which decides the next query of the model."""

    game: Environment
    seat: str
    chat: int = 0
    query: int = 0

    @property
    def action(self):
        """A call that ends the period."""
        parameters = self.game.instance.parameters
        if self.game.name == "scheduling":
            plan = dict(zip(parameters["workers"], parameters["tasks"], strict=True))
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

    def stamps(self):
        sent, self.now = self.now, self.now + timedelta(seconds=self.step)
        return {name: f"{at:%Y-%m-%d %H:%M:%S}" for name, at in zip(STAMPS, (sent, self.now), strict=True)}


def write_chats(root, environment, wire, script, *, created=None, change=lambda completion: None, periods=2):
    """A folder of a run in which a model answers by the script. change: edits each provider's answer before it is logged"""
    difficulty = "STANDARD" if "_vs_" in environment else "BASIC"
    instance = generate(environment, difficulty, 0, "published")
    game = ENVIRONMENTS[environment](instance, variant="main", periods=periods)
    folder = root / (f"{RUN}__{periods}__2agent__x" if environment == "collusiveness_vs_competitiveness" else RUN)
    column, rows, told = COLUMNS[environment][0], [], Told()
    for period in range(periods):
        actions = {}
        for seat in game.seats:
            for row, action in _chats(game, seat, wire, script, told):
                if row:
                    change(row["completion"])
                    if created is not None:
                        row["completion"]["created"] = created = created + 3
                    rows.append({column: period, "model": MODELS[wire], "system": "Be an agent."} | row)
                else:
                    actions[seat] = action
        outcome = game.step(game.joint_action(actions))
        rows.append({column: period} | closing(game, outcome))
    write_csv(folder / "logs.csv", COLUMNS[environment], rows)
    parameters = parameters_of(environment, instance, 0, periods, MODELS[wire], "main")
    write_csv(folder / "global_params.csv", list(parameters), [parameters])
    return told


def stamp(folder, clock):
    """Give every query of a written log the columns of time that newer versions of the published code write."""
    edit(
        folder / "logs.csv",
        lambda rows: [row | (clock.stamps() if row["completion"] else dict.fromkeys(STAMPS, "")) for row in rows],
    )


def _chats(game, seat, wire, script, told):
    """The rows of a period, each with nothing beside it, then the action."""
    talk = Talk(game, seat)
    while True:
        messages = [{"role": "user", "content": PROMPT}]
        for talk.query in range(40):
            completion = WRITERS[wire](script(talk))
            shown = str(SHOWN[wire](messages))
            yield {"messages": shown, "completion": completion, "temperature": 1}, None
            blocks = READERS[wire](json.loads(json.dumps(completion)))
            messages.append({"role": "assistant", "content": blocks})
            place = (game.period, seat, talk.chat, talk.query)
            results, action, failed = _use(blocks, talk, told)
            if failed or action is not None:
                told.calls[place] = [(name, None) for name, _ in told.calls[place]]
            if failed:
                break
            if action is not None:
                yield None, action
                return
            messages.append({"role": "user", "content": [*results, text(REPLY_PROMPT)]})
        talk.chat += 1


def _use(blocks, talk, told):
    """The results, the action, and whether a tool failed, so that the period is tried again in a new chat."""
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
            return results, talk.game.parse_action(found, talk.seat) if found != {} else None, found == {}
        elif block["name"] == "get_attempt_number":
            answer = str({"attempt_number": talk.game.period})
        else:
            made.append((block["name"], None))
            return results, None, True
        made.append((block["name"], answer))
        results.append({"type": "tool_result", "tool_use_id": block["id"], "content": answer})
    return results, None, False
