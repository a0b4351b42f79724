"""Finds the logs in a source, and reads a log folder into a Log."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from pathlib import PurePosixPath

from agents.notes import storable
from workspace.transfer.reading import completions, sources, tables, times
from workspace.transfer.reading.formats import FORMATS
from workspace.transfer.reading.formats.base import Format
from workspace.transfer.reading.formats.patience import (
    ENDING,
    RESULTS,
    HorizonFolder,
    grouped,
    read_patience,
    setting_of,
)
from workspace.transfer.reading.logs import (
    LOGS,
    PARAMETERS,
    Call,
    Chat,
    Log,
    accepted_prices,
    calls_with_seats,
    ceiling_in,
)
from workspace.transfer.reading.results import first_prompt, is_new_chat, reply_with_results, system_text

MAX_CALLS_OF_A_PERIOD = 1000
MAX_PROMPT = 64 * 1024


def read_log(
    label: str,
    folder: PurePosixPath,
    parameters_file: sources.SourceFile,
    logs: sources.SourceFile,
    with_replies: bool = True,
) -> Log:
    """Read the two tables of a folder. Raises LogRefused. Without replies only those that determine an action are read.

    folder: its place with the known parent folders, since the published code puts settings into folder names
    """
    digest = hashlib.sha256()
    parameters = tables.one_row(parameters_file, digest)
    format = next((log_format for log_format in FORMATS if parameters.values.keys() >= set(log_format.marks)), None)
    if format is None:
        raise sources.LogRefused(f"{parameters_file.path}, line 1: the columns are those of no environment known here.")
    game = format.game(parameters, folder)
    log = Log(label, game, game.model, played_at=times.time_of(folder.name), evidence=format.evidence)
    reading = _Reading(log, format, with_replies)
    needed = (format.period, format.action, *dict.fromkeys(column for column, _ in format.results.values()))
    for cells in tables.rows(logs, needed, digest, partial(setattr, log, "cut_line")):
        reading.take(cells)
    reading.end()
    if not log.steps:
        if log.cut_line:
            where = f"{logs.path}, line {log.cut_line}"
            raise sources.LogRefused(
                f"{where}: the table is broken (it ends within this row), and no period before was played."
            )
        raise sources.LogRefused(f"{logs.path} holds no played period.")
    log.game = format.closing(log)
    log.sign(digest)
    return log


class _Reading:
    """Collects rows in a log: the queries of a period, then the row that closes it."""

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

    def take(self, cells: tables.Cells) -> None:
        steps, planned = self.log.steps, self.log.game.periods
        period = cells.whole(self.format.period, 100_000)
        if period < len(steps):
            raise cells.refuse(f"period {period} comes again or out of order")
        if period > len(steps):
            raise cells.refuse(f"period {period} comes, but period {len(steps)} is missing")
        if cells.has(self.format.action):
            if period >= planned:
                raise cells.refuse(f"there are more than {planned} periods")
            step = self.format.step(cells, self.log.game, (self.chats and self.chats[-1].offer) or {})
            steps.append(replace(step, ceiling=next((chat.ceiling for chat in self.chats), None)))
            self.end(list(step.action.values()))
        elif cells.has("completion"):
            self._query(cells)

    def _query(self, cells: tables.Cells) -> None:
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

    def _reply(self, chat: Chat, cells: tables.Cells) -> None:
        completion, period = completions.read_completion(cells.values["completion"]), len(self.log.steps)
        time = self.log.times.take(period, cells, completion.created if completion else None)
        chat.last_reply_read = completion is not None
        if completion is None:
            self.log.unread_calls += self.with_replies
            return
        dropped = completion.dropped if self.with_replies else ()
        chat.calls.append(Call(period, "", 0, len(chat.calls), completion.reply, dropped=dropped, time=time))
        if self.format.rounds_prices or len(self.environment.seats) > 1:
            full_reply = replace(completion.reply, calls=completion.dropped or completion.reply.calls)
            chat.offer = accepted_prices(full_reply, self.environment, period)

    def _prompts(self, cells: tables.Cells) -> None:
        """The model and its prompts, from the first row that has them."""
        log = self.log
        if not log.model and cells.has("model"):
            log.model = storable(cells.text("model"))[:200]
        if log.prompts:
            return
        log.prompts["system"] = system_text(cells.values.get("system", ""))[:MAX_PROMPT]
        log.prompts["initial"] = first_prompt(cells.values.get("messages", ""))[:MAX_PROMPT]
        if cells.has("temperature"):
            log.temperature = cells.number("temperature")


MAX_LOGS = 1000
ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".zst", ".7z", ".rar")
LISTED_NAMES = 10
"""Nested archives that are listed by name."""


Candidate = tuple[str, Callable[..., Log]]
"""The label of a folder that looks like a log, and what reads it. With with_replies=False it skips the model's replies, which
take longest. It raises LogRefused."""


def candidates(source: sources.Source) -> list[Candidate]:
    """All logs by path. Raises LogRefused if there is none."""
    folders: dict[PurePosixPath, dict[str, sources.SourceFile]] = {}
    for file in source.files:
        folders.setdefault(file.path.parent, {})[file.path.name] = file
    log_candidates: list[Candidate] = []
    for path, files in folders.items():
        label = _label(path, source.around)
        if PARAMETERS in files and LOGS in files:
            log_candidates.append(
                (label, partial(read_log, label, source.around / path, files[PARAMETERS], files[LOGS]))
            )
        elif PARAMETERS in files or LOGS in files:
            missing = LOGS if PARAMETERS in files else PARAMETERS
            log_candidates.append((label, partial(_refuse, f"{label} has no {missing}.")))
    log_candidates += _patience(folders, source.around)
    unopened = ""
    if names := sorted(storable(str(file.path)) for file in source.files if file.path.suffix.lower() in ARCHIVES):
        more = f" and {len(names) - LISTED_NAMES:,} more" if len(names) > LISTED_NAMES else ""
        listed = ", ".join(names[:LISTED_NAMES]) + more
        unopened = f"Archives inside are not opened: {listed}. Unpack them and import what they hold."
    if not log_candidates:
        raise sources.LogRefused(
            f"{source.name} holds no folder with {PARAMETERS} and {LOGS}, and no patience answers. {unopened}".strip()
        )
    if len(log_candidates) > MAX_LOGS:
        raise sources.LogRefused(
            f"{source.name} holds {len(log_candidates):,} logs; at most {MAX_LOGS:,} are imported at once."
        )
    log_candidates.sort(key=itemgetter(0))
    return [*log_candidates, (source.name, partial(_refuse, unopened))] if unopened else log_candidates


def _refuse(sentence: str, with_replies: bool = True) -> Log:
    raise sources.LogRefused(sentence)


def _label(path: PurePosixPath, around: PurePosixPath) -> str:
    """The name of a folder for people: its path in the source, or the source's name."""
    return str(path) if path.name else around.name


def _patience(
    folders: dict[PurePosixPath, dict[str, sources.SourceFile]], around: PurePosixPath
) -> Iterator[Candidate]:
    horizon_folders = []
    for path, files in sorted(folders.items()):
        for name, file in sorted(files.items()):
            if name.endswith(ENDING) and name != ENDING:
                results = files.get(RESULTS)
                if setting := setting_of(around / path, file, results):
                    model = storable(name.removesuffix(ENDING))[:200]
                    horizon_folders.append(
                        HorizonFolder(_label(path, around), around / path, setting, model, file, results)
                    )
    for group in grouped(horizon_folders):
        yield ", ".join(folder.label for folder in group), partial(read_patience, group)
