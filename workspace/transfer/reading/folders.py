"""Reads a log folder into a Log."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath

from agents.tools import storable
from games.logs.cells import Cells, LogRefused
from games.logs.format import Format
from games.registry import LOG_FORMATS
from workspace.transfer.reading.chats import Call, Chat, accepted_prices, calls_with_seats, ceiling_in
from workspace.transfer.reading.completions import read_completion
from workspace.transfer.reading.logs import Log
from workspace.transfer.reading.results import first_prompt, is_new_chat, reply_with_results, system_text
from workspace.transfer.reading.sources import SourceFile, refuse_if
from workspace.transfer.reading.tables import one_row, rows
from workspace.transfer.reading.times import time_of

MAX_CALLS_OF_A_PERIOD = 1000
MAX_PROMPT = 64 * 1024


def read_log(
    label: str, folder: PurePosixPath, parameters_file: SourceFile, logs: SourceFile, with_replies: bool = True
) -> Log:
    """Read the two tables of a folder. Raises LogRefused.

    folder: its path with the known parent folders, since the published code puts settings into folder names
    with_replies: if false, only replies that determine an action are read
    """
    digest = hashlib.sha256()
    parameters = one_row(parameters_file, digest)
    format = next((log_format for log_format in LOG_FORMATS if parameters.values.keys() >= set(log_format.marks)), None)
    if format is None:
        raise LogRefused(f"{parameters_file.path}, line 1: the columns are those of no environment known here.")
    game = format.game(parameters, folder)
    log = Log(label, game, game.model, played_at=time_of(folder.name), evidence=format.evidence)
    reading = _Reading(log, format, with_replies)
    needed = (format.period, format.action, *dict.fromkeys(column for column, _ in format.results.values()))
    for cells in rows(logs, needed, digest, partial(setattr, log, "cut_line")):
        reading.take(cells)
    reading.end()
    cut = f", line {log.cut_line}: the table is broken (it ends within this row), and no period before was played."
    refuse_if(not log.steps, f"{logs.path}{cut if log.cut_line else ' holds no played period.'}")
    log.game = format.closing(game, log.steps, log.prompts)
    log.sign(digest)
    return log


class _Reading:
    """Collects rows into a log: first the queries of a period, then the row that closes it."""

    def __init__(self, log: Log, format: Format, with_replies: bool):
        self.log = log
        self.format = format
        self.environment = log.game.environment(log.game.instance)
        self.with_replies = with_replies
        self.taken = 0
        self.chats: list[Chat] = []

    def end(self, prices: Sequence[float] | None = None) -> None:
        """Close the period and assign its calls to seats."""
        self.log.calls += calls_with_seats(self.chats, self.environment, prices)
        self.taken, self.chats = 0, []

    def take(self, cells: Cells) -> None:
        steps, planned = self.log.steps, self.log.game.periods
        period = cells.whole(self.format.period, 100_000)
        if period != len(steps):
            wrong = " again or out of order" if period < len(steps) else f", but period {len(steps)} is missing"
            raise cells.refuse(f"period {period} comes{wrong}")
        if cells.has(self.format.action):
            if period >= planned:
                raise cells.refuse(f"there are more than {planned} periods")
            step = self.format.step(cells, self.log.game, (self.chats and self.chats[-1].offer) or {})
            steps.append(replace(step, ceiling=next((chat.ceiling for chat in self.chats), None)))
            self.end(list(step.action.values()))
        elif cells.has("completion"):
            self._query(cells)

    def _query(self, cells: Cells) -> None:
        self.taken += 1
        self.log.queries += 1
        if self.taken > MAX_CALLS_OF_A_PERIOD:
            raise cells.refuse(f"a period has more than {MAX_CALLS_OF_A_PERIOD} queries")
        self._prompts(cells)
        messages = cells.values.get("messages", "")
        if is_new_chat(messages) or not self.chats:
            self.chats.append(Chat(ceiling_in(messages)))
        chat = self.chats[-1]
        if chat.last_reply_read and self.with_replies:
            before = chat.calls[-1]
            reply, results = reply_with_results(messages, before.reply, before.dropped)
            dropped = () if reply.calls else before.dropped
            chat.calls[-1] = replace(before, reply=reply, results=results, dropped=dropped)
        if self.with_replies or (
            self.format.rounds_prices and self.environment.action_tool in cells.values["completion"]
        ):
            self._reply(chat, cells)

    def _reply(self, chat: Chat, cells: Cells) -> None:
        completion, period = read_completion(cells.values["completion"]), len(self.log.steps)
        time = self.log.times.take(period, cells, completion.created if completion else None)
        chat.last_reply_read = completion is not None
        if completion is None:
            self.log.unread_calls += self.with_replies
            return
        dropped = completion.dropped if self.with_replies else ()
        chat.calls.append(Call(period, "", 0, len(chat.calls), completion.reply, dropped=dropped, time=time))
        if self.format.rounds_prices or len(self.environment.seats) > 1:
            chat.offer = accepted_prices(
                replace(completion.reply, calls=completion.dropped or completion.reply.calls), self.environment, period
            )

    def _prompts(self, cells: Cells) -> None:
        """Take the model and its prompts from the first row that has them."""
        log = self.log
        if not log.model and cells.has("model"):
            log.model = storable(cells.text("model"))[:200]
        if log.prompts:
            return
        log.prompts["system"] = system_text(cells.values.get("system", ""))[:MAX_PROMPT]
        log.prompts["initial"] = first_prompt(cells.values.get("messages", ""))[:MAX_PROMPT]
        if cells.has("temperature"):
            log.temperature = cells.number("temperature")
