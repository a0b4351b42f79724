"""Reads a log folder into a Log: the game, the periods and the model's replies."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from agents.notes import storable
from environments.base import Environment, Instance
from environments.registry import ENVIRONMENTS
from transfer.reading.chats import Call, Chat, accepted_prices, ceiling_in, seated
from transfer.reading.completions import read_completion
from transfer.reading.prompts import first_prompt, system_text
from transfer.reading.refusals import Refused
from transfer.reading.results import is_new_chat, said_next
from transfer.reading.sources import SourceFile
from transfer.reading.tables import Cells, Ending, one_row, rows
from transfer.reading.times import Times, time_of

PARAMETERS, LOGS = "global_params.csv", "logs.csv"
MAX_CALLS_OF_A_PERIOD = 1000
MAX_PROMPT = 64 * 1024


@dataclass(frozen=True)
class LogFolder:
    """A folder with its two tables.

    label: its name for people
    path: its place with the known parent folders, since the published code puts settings into folder names
    """

    label: str
    path: PurePosixPath
    parameters: SourceFile
    logs: SourceFile


@dataclass(frozen=True)
class Game:
    """The game by `global_params.csv`. `instance` lacks its reference if that is costly.

    facts: differences from our instance of the same seed and other facts: {label: text}
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
    """A played period: the logged action, the logged results under our names, and the line.

    ceiling: the price ceiling that the model was told; None if the log does not say
    """

    action: dict[str, Any]
    recorded: dict[str, Any]
    place: str
    ceiling: float | None = None


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
    evidence: str = ""
    unread_calls: int = 0
    dropped_calls: int = 0
    queries: int = 0
    cut_line: int = 0
    times: Times = field(default_factory=Times)


@dataclass(frozen=True)
class Format:
    """The log format of one environment.

    marks: columns of global_params.csv that identify it
    period, action: columns of logs.csv; a row with an action closes its period, other rows are queries
    evidence: the result that shows whether the log was played on the instance of its parameters
    game: reads the parameters; `step` reads the row that closes a period, given the prices the agent's last call named
    closing: completes the game from the played periods and the prompts
    rounds_prices: whether the row that closes a period rounds the agent's prices
    """

    environment: str
    marks: tuple[str, ...]
    period: str
    action: str
    needed: tuple[str, ...]
    evidence: str
    game: Callable[[Cells, PurePosixPath], Game]
    step: Callable[[Cells, Game, Mapping[str, float]], Step]
    closing: Callable[[Game, list[Step], Mapping[str, str]], Game] = lambda game, steps, prompts: game
    rounds_prices: bool = False


def read_log(folder: LogFolder, format: Format, with_replies: bool = True) -> Log:
    """Read the log. Raises Refused. Without replies only those that determine an action are read."""
    digest = hashlib.sha256()
    game = format.game(one_row(folder.parameters, format.marks, digest), folder.path)
    reading = _Reading(folder, format, game, with_replies)
    ending = Ending()
    for cells in rows(folder.logs, (format.period, format.action, *format.needed), digest, ending):
        reading.take(cells)
    reading.end()
    if not reading.steps:
        if ending.cut_line:
            where = f"{folder.logs.path}, line {ending.cut_line}"
            raise Refused(f"{where}: the table is broken (it ends within this row), and no period before was played.")
        raise Refused(f"{folder.logs.path} holds no played period.")
    game = format.closing(game, reading.steps, reading.prompts)
    return Log(
        folder=folder.label,
        game=game,
        model=reading.model,
        steps=reading.steps,
        calls=reading.calls,
        content_hash=reading_hash(digest.hexdigest(), game),
        played_at=time_of(folder.path.name),
        temperature=reading.temperature,
        prompts=reading.prompts,
        evidence=format.evidence,
        unread_calls=reading.unread if with_replies else 0,
        dropped_calls=sum(len(call.dropped) for call in reading.calls) if with_replies else 0,
        queries=reading.queries,
        cut_line=ending.cut_line,
        times=reading.times,
    )


def reading_hash(digest: str, game: Game) -> str:
    """A hash of a log's bytes and of how they are read, which may depend on the folder's name. A log that was read
    wrongly under another name gets another hash."""
    return hashlib.sha256(f"{digest} {game.variant} {game.reasoning} {game.periods}".encode()).hexdigest()


class _Reading:
    """Collects rows: the queries of a period, then the row that closes it."""

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
        self.taken = 0
        self.chats: list[Chat] = []

    def end(self, prices: Sequence[float] | None = None) -> None:
        """Close the period and assign its calls to seats."""
        self.calls += seated(self.chats, self.environment, prices)
        self._open_period()

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
            step = self.format.step(cells, self.game, (self.chats and self.chats[-1].offer) or {})
            ceiling = next((chat.ceiling for chat in self.chats), None)
            self.steps.append(replace(step, ceiling=ceiling))
            self.end(list(step.action.values()))
        elif cells.has("completion"):
            self._query(cells)

    def _query(self, cells: Cells) -> None:
        self.taken += 1
        self.queries += 1
        if self.taken > MAX_CALLS_OF_A_PERIOD:
            raise Refused(f"{cells.file}, line {cells.line}: a period has more than {MAX_CALLS_OF_A_PERIOD} queries.")
        self._prompts(cells)
        messages = cells.values.get("messages", "")
        if is_new_chat(messages) or not self.chats:
            self.chats.append(Chat(ceiling_in(messages)))
        chat = self.chats[-1]
        if chat.last_reply_read and self.with_replies:
            before = chat.calls[-1]
            reply, results = said_next(messages, before.reply, before.dropped)
            dropped = () if reply.calls else before.dropped
            chat.calls[-1] = replace(before, reply=reply, results=results, dropped=dropped)
        if self.with_replies or (
            self.format.rounds_prices and self.environment.action_tool in cells.values["completion"]
        ):
            self._reply(chat, cells)

    def _reply(self, chat: Chat, cells: Cells) -> None:
        found, period = read_completion(cells.values["completion"]), len(self.steps)
        time = self.times.take(period, cells, found.created if found else None)
        chat.last_reply_read = found is not None
        if found is None:
            self.unread += 1
            return
        chat.calls.append(Call(period, "", 0, len(chat.calls), found.reply, dropped=found.dropped, time=time))
        if self.format.rounds_prices or len(self.environment.seats) > 1:
            made = replace(found.reply, calls=found.dropped or found.reply.calls)
            chat.offer = accepted_prices(made, self.environment, period)

    def _prompts(self, cells: Cells) -> None:
        """The model and its prompts, from the first row that has them."""
        if not self.model and cells.has("model"):
            self.model = storable(cells.text("model"))[:200]
        if self.prompts:
            return
        self.prompts["system"] = system_text(cells.values.get("system", ""))[:MAX_PROMPT]
        self.prompts["initial"] = first_prompt(cells.values.get("messages", ""))[:MAX_PROMPT]
        if cells.has("temperature"):
            self.temperature = cells.number("temperature")
