"""A log folder as a Log: which game it was, what was done in each period, what the model said."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from agents.llm import Reply, ToolCall, ToolResult
from agents.notes import storable
from environments.base import Environment, Instance, ToolError
from environments.registry import ENVIRONMENTS
from runs.importing.completions import read_completion
from runs.importing.literals import NotALiteral, parse_literal
from runs.importing.prompts import first_prompt, system_text
from runs.importing.refusals import Refused
from runs.importing.results import end_of_chat, is_new_chat, said_next
from runs.importing.sources import SourceFile
from runs.importing.tables import Cells, Ending, one_row, rows
from runs.importing.times import CallTime, Times

PARAMETERS, LOGS = "global_params.csv", "logs.csv"
MAX_CALLS_OF_A_PERIOD = 1000
MAX_PROMPT = 64 * 1024


@dataclass(frozen=True)
class LogFolder:
    """A folder with its two tables."""

    path: PurePosixPath
    parameters: SourceFile
    logs: SourceFile


@dataclass(frozen=True)
class Game:
    """What `global_params.csv` says was played. `instance` lacks its reference where that is costly.

    facts: what differs from the instance of the same seed made here, or is worth knowing: {label: text}
    """

    instance: Instance
    variant: str
    reasoning: bool
    periods: int
    model: str
    facts: dict[str, str] = field(default_factory=dict)
    claims: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """A played period: the action as it was logged, the results as the log has them but by our names, and where."""

    action: dict[str, Any]
    recorded: dict[str, Any]
    place: str


@dataclass(frozen=True)
class Call:
    """A query: the period, whose, which chat of the period and which step of it.

    dropped: calls that the model made and the published code passed over
    """

    period: int
    seat: str
    attempt: int
    step: int
    reply: Reply
    results: tuple[ToolResult, ...] | None = None
    dropped: tuple[ToolCall, ...] = ()
    time: CallTime = CallTime()


@dataclass
class Log:
    folder: str
    game: Game
    model: str
    steps: list[Step]
    calls: list[Call]
    content_hash: str
    played_at: datetime | None = None
    temperature: float | None = None
    prompts: dict[str, str] = field(default_factory=dict)
    unread_calls: int = 0
    dropped_calls: int = 0
    queries: int = 0
    cut_line: int = 0
    times: Times = field(default_factory=Times)

    @property
    def facts(self) -> dict[str, str]:
        """What is worth knowing about the log besides what was played: {label: text}"""
        facts = dict(self.game.facts)
        if self.played_at and not self.times.first:
            facts["Begun"] = f"{self.played_at:%d %B %Y, %H:%M}, by the name of its folder"
        if self.cut_line:
            facts["Cut off"] = f"in the row that begins in line {self.cut_line} of {LOGS}; the rows before it are kept"
        if self.dropped_calls:
            told = "which the published code passed over, so they are left out here"
            facts["Calls beside a text"] = f"{self.dropped_calls}, {told}"
        if self.unread_calls:
            facts["Replies that could not be read"] = f"{self.unread_calls}"
        return facts


@dataclass(frozen=True)
class Format:
    """How one environment is logged.

    marks: columns of global_params.csv by which it is known
    period, action: columns of logs.csv; a row with an action closes its period, other rows are queries
    game: reads the parameters; `step` reads the row that closes a period, given the action the agent's last call named
    """

    environment: str
    marks: tuple[str, ...]
    period: str
    action: str
    needed: tuple[str, ...]
    game: Callable[[Cells, PurePosixPath], Game]
    step: Callable[[Cells, Game, list[dict[str, Any]]], Step]


def read_log(folder: LogFolder, format: Format, with_replies: bool = True) -> Log:
    """Raises Refused. Without replies only those are read that an action hangs on."""
    digest = hashlib.sha256()
    game = format.game(one_row(folder.parameters, format.marks, digest), folder.path)
    reading = _Reading(folder, format, game, with_replies)
    ending = Ending()
    for cells in rows(folder.logs, (format.period, format.action, *format.needed), digest, ending):
        reading.take(cells)
    if not reading.steps:
        if ending.cut_line:
            where = f"{folder.logs.path}, line {ending.cut_line}"
            raise Refused(f"{where}: the table is broken (it ends within this row), and no period before was played.")
        raise Refused(f"{folder.logs.path} holds no played period.")
    return Log(
        folder=str(folder.path),
        game=game,
        model=reading.model,
        steps=reading.steps,
        calls=reading.calls,
        content_hash=digest.hexdigest(),
        played_at=time_of(folder.path.name),
        temperature=reading.temperature,
        prompts=reading.prompts,
        unread_calls=reading.unread if with_replies else 0,
        dropped_calls=sum(len(call.dropped) for call in reading.calls) if with_replies else 0,
        queries=reading.queries,
        cut_line=ending.cut_line,
        times=reading.times,
    )


def time_of(name: str) -> datetime | None:
    """The time a folder of the published code is called after, in the zone of whoever ran it."""
    match = re.match(r"\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d", name)
    try:
        return datetime.strptime(match[0], "%Y-%m-%d-%H-%M-%S") if match else None
    except ValueError:
        return None


class _Reading:
    """Rows as they come: queries of a period, then the row that closes it."""

    def __init__(self, folder: LogFolder, format: Format, game: Game, with_replies: bool):
        self.format = format
        self.game = game
        self.environment: Environment = ENVIRONMENTS[format.environment](
            game.instance, variant=game.variant, reasoning=game.reasoning, periods=game.periods
        )
        self.model = game.model
        self.with_replies = with_replies
        self.queries = 0
        self.steps: list[Step] = []
        self.calls: list[Call] = []
        self.times = Times()
        self.unread = 0
        self.temperature: float | None = None
        self.prompts: dict[str, str] = {}
        self._open_period()

    def _open_period(self) -> None:
        self.seat = 0
        self.attempt, self.step, self.taken = -1, 0, 0
        self.chosen: list[dict[str, Any]] = [{} for _ in self.environment.seats]
        self.is_answered = False

    def take(self, cells: Cells) -> None:
        period = cells.whole(self.format.period, 100_000)
        if period != len(self.steps):
            before = "again or out of order" if period < len(self.steps) else f"but period {len(self.steps)} is missing"
            raise Refused(
                f"{cells.file}, line {cells.line}: period {period} comes {before}.".replace("comes but", "comes, but")
            )
        if cells.has(self.format.action):
            if period >= self.game.periods:
                raise Refused(f"{cells.file}, line {cells.line}: there are more than {self.game.periods} periods.")
            self._end_chat(acted=True)
            self.steps.append(self.format.step(cells, self.game, self.chosen))
            self._open_period()
        elif cells.has("completion"):
            self._query(cells)

    def _query(self, cells: Cells) -> None:
        self.taken += 1
        self.queries += 1
        if self.taken > MAX_CALLS_OF_A_PERIOD:
            raise Refused(f"{cells.file}, line {cells.line}: a period has more than {MAX_CALLS_OF_A_PERIOD} queries.")
        self._prompts(cells)
        if is_new_chat(cells.values.get("messages", "")):
            # The period is tried again, or it is the other agent's turn.
            is_next_seat = bool(self.chosen[self.seat]) and self.seat + 1 < len(self.chosen)
            self._end_chat(acted=is_next_seat)
            if is_next_seat:
                self.seat, self.attempt = self.seat + 1, -1
            self.attempt, self.step = self.attempt + 1, 0
        elif self.is_answered:
            self._go_on(cells.values["messages"])
        self.is_answered = False
        completion = cells.values["completion"]
        if not self.with_replies and not (
            self.environment.name in EXACT_ACTIONS and self.environment.action_tool in completion
        ):
            return
        found = read_completion(completion)
        time = self.times.take(len(self.steps), cells, found.created if found else None)
        if found is None:
            self.unread += 1
            return
        seat = self.environment.seats[self.seat]
        place = (len(self.steps), seat, max(0, self.attempt), self.step)
        self.calls.append(Call(*place, found.reply, dropped=found.dropped, time=time))
        self.step, self.is_answered = self.step + 1, True
        self.chosen[self.seat] = self._choice(found.reply, seat) or self.chosen[self.seat]

    def _go_on(self, messages: str) -> None:
        """The chat goes on after the latest reply, and shows what was taken of it."""
        before = self.calls[-1]
        reply, results = said_next(messages, before.reply, before.dropped)
        dropped = () if reply.calls else before.dropped
        self.calls[-1] = replace(before, reply=reply, results=results, dropped=dropped)
        self.chosen[self.seat] = self._choice(reply, before.seat) or self.chosen[self.seat]

    def _end_chat(self, *, acted: bool) -> None:
        if not self.is_answered:
            return
        last = self.calls[-1]
        if acted and last.dropped:  # the period ended with it, so these calls were not passed over
            last = replace(last, reply=replace(last.reply, calls=last.dropped), dropped=())
            self.chosen[self.seat] = self._choice(last.reply, last.seat) or self.chosen[self.seat]
        self.calls[-1] = replace(last, results=end_of_chat(last.reply, self.environment, last.seat, acted=acted))

    def _choice(self, reply: Reply, seat: str) -> dict[str, Any]:
        """The action a reply names, as it was written; the log may have rounded it."""
        for call in reply.calls:
            if call.name == self.environment.action_tool and call.arguments is not None:
                raw = call.arguments.get(self.environment.action_argument)
                if self.environment.name in EXACT_ACTIONS:
                    try:
                        return self.environment.parse_action(raw, seat)
                    except ToolError:
                        return _loosely(raw)
        return {}

    def _prompts(self, cells: Cells) -> None:
        """The model and what it was told, from the first row that says so."""
        if not self.model and cells.has("model"):
            self.model = storable(cells.text("model"))[:200]
        if self.prompts:
            return
        self.prompts["system"] = system_text(cells.values.get("system", ""))[:MAX_PROMPT]
        self.prompts["initial"] = first_prompt(cells.values.get("messages", ""))[:MAX_PROMPT]
        if cells.has("temperature"):
            self.temperature = cells.number("temperature")


EXACT_ACTIONS = ("pricing", "collusiveness_vs_competitiveness")
"""Where the closing row does not hold exactly what the agent chose, or does not say which of two agents chose."""


def _loosely(raw: object) -> dict[str, Any]:
    try:
        found = parse_literal(raw) if isinstance(raw, str) else raw
    except NotALiteral:
        return {}
    return found if isinstance(found, dict) else {}
