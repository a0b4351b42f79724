"""Patience: a folder holds one horizon, a file `MODEL_logs.csv` the answers of one model, a row one answer.

All horizons of a model in one archive are one run. Answers are read again from the replies; the counts in
`high_level_results.csv` are only compared.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from agents.llm import Reply
from agents.notes import MAX_CHARACTERS, storable
from environments.base import SINGLE_SEAT
from environments.generation import CUSTOM
from environments.patience.environment import INVALID, LATER, NOW
from environments.patience.instance import HORIZONS
from environments.registry import generate
from environments.survey import read_letter
from transfer.reading.chats import Call
from transfer.reading.completions import read_completion
from transfer.reading.formats.matching import difficulty_of
from transfer.reading.logs import Game, Log, Step, reading_hash
from transfer.reading.refusals import Refused
from transfer.reading.sources import SourceFile
from transfer.reading.tables import Cells, Ending, rows
from transfer.reading.times import time_of

ENDING = "_logs.csv"
RESULTS = "high_level_results.csv"
FOLDER = re.compile(r"__choice__(" + "|".join(setting for setting, *_ in HORIZONS) + r")$")
_NOW_FIRST = re.compile(
    r"A: receiving \$100 right now or B: receiving \$(\d{1,6}(?:\.\d{1,2})?) ([a-z ]{1,20}) from today"
)
_LATER_FIRST = re.compile(
    r"A: receiving \$(\d{1,6}(?:\.\d{1,2})?) ([a-z ]{1,20}) from today or B: receiving \$100 right now"
)
MAX_ANSWERS = 100
"""The most repetitions of a question in our questionnaires."""


@dataclass(frozen=True)
class HorizonFolder:
    """One horizon asked of one model. label, path: as of a LogFolder"""

    label: str
    path: PurePosixPath
    setting: str
    model: str
    answers: SourceFile
    results: SourceFile | None


@dataclass
class _Answers:
    """The replies of one horizon by amount and by whether the options were swapped."""

    replies: dict[float, dict[bool, list[Reply]]] = field(
        default_factory=lambda: defaultdict(lambda: {False: [], True: []})
    )
    claimed: dict[float, int] = field(default_factory=dict)


def setting_of(folder: PurePosixPath) -> str:
    """The setting in a folder's name, such as 'one_year', or an empty text."""
    match = FOLDER.search(folder.name)
    return match[1] if match else ""


def asked_setting(answers: SourceFile) -> str:
    """The setting from the first question, for folders that lost their name, or an empty text."""
    try:
        first = next(rows(answers, ("messages", "response")), None)
    except Refused:
        return ""
    asked = _question(first.values["messages"]) if first else None
    spans = {setting.replace("_", " "): setting for setting, *_ in HORIZONS}
    return spans.get(asked[2], "") if asked else ""


def _question(messages: str) -> re.Match[str] | None:
    return _NOW_FIRST.search(messages) or _LATER_FIRST.search(messages)


def grouped(folders: Iterable[HorizonFolder]) -> list[list[HorizonFolder]]:
    """The folders of each run. A repeated horizon of a model begins another run."""
    groups: dict[str, list[dict[str, HorizonFolder]]] = defaultdict(list)
    for folder in folders:
        runs = groups[folder.model]
        free = next((run for run in runs if folder.setting not in run), None)
        if free is None:
            runs.append(free := {})
        free[folder.setting] = folder
    return [list(run.values()) for runs in groups.values() for run in runs]


def read_patience(folders: list[HorizonFolder]) -> Log:
    """Raises Refused."""
    digest = hashlib.sha256()
    answers = {folder.setting: _answers(folder, digest) for folder in folders}
    repetitions = _repetitions(folders, answers)
    settings = {"repetitions": repetitions} | {setting: int(setting in answers) for setting, *_ in HORIZONS}
    difficulty = difficulty_of("patience_vs_impatience", settings)
    custom = settings if difficulty == CUSTOM else None
    instance = generate("patience_vs_impatience", difficulty, 0, settings=custom)
    periods = sum(len(amounts) for setting, _, _, amounts in HORIZONS if setting in answers)
    paths = ", ".join(folder.label for folder in folders)
    game = Game(instance, "main", False, periods, folders[0].model)
    log = Log(
        folder=paths,
        game=game,
        model=folders[0].model,
        steps=[],
        calls=[],
        content_hash=reading_hash(digest.hexdigest(), game),
        played_at=time_of(folders[0].path.name),
    )
    for setting, label, _, amounts in HORIZONS:
        if setting in answers:
            _add_steps(log, label, amounts, answers[setting], repetitions, paths)
    log.queries = len(log.calls)
    if not log.steps:
        raise Refused(f"{paths} holds no amount that was asked to its end.")
    return log


def _answers(folder: HorizonFolder, digest: Any) -> _Answers:
    found = _Answers()
    label = folder.setting.replace("_", " ")
    tested = {float(amount) for setting, _, _, amounts in HORIZONS if setting == folder.setting for amount in amounts}
    # A truncated file lacks answers of its last amount, which is left out as incomplete.
    for cells in rows(folder.answers, ("messages", "response"), digest, Ending()):
        messages = cells.values["messages"]
        match = _question(messages)
        if match is None or match[2] != label or float(match[1]) not in tested:
            raise cells.refuse("messages", f"is not a question about $100 now and an amount of {label}")
        replies = found.replies[float(match[1])][match.re is _LATER_FIRST]
        if len(replies) >= MAX_ANSWERS:
            raise Refused(f"{cells.file}, line {cells.line}: ${match[1]} is asked more than {2 * MAX_ANSWERS} times.")
        replies.append(_reply(cells, folder.model))
    if folder.results:
        for cells in rows(folder.results, ("model", "value", "preferred_100_count"), digest):
            if cells.text("model") == folder.model:
                found.claimed[cells.number("value")] = cells.whole("preferred_100_count", 10_000)
    return found


def _reply(cells: Cells, model: str) -> Reply:
    text = storable(cells.values["response"][:MAX_CHARACTERS])
    known = read_completion(cells.values.get("completion", ""))
    usage = known.reply.usage if known else Reply().usage
    return Reply(text=text, usage=usage, stop=known.reply.stop if known else "end", model=model)


def _repetitions(folders: list[HorizonFolder], answers: dict[str, _Answers]) -> int:
    """The number of questions by amount; lower for amounts that were broken off."""
    counts = Counter(
        len(replies[False]) + len(replies[True]) for found in answers.values() for replies in found.replies.values()
    )
    if not counts:
        raise Refused(f"{folders[0].answers.path} holds no answer.")
    number = max(counts)
    if number > MAX_ANSWERS or number % 2:
        raise Refused(
            f"{folders[0].answers.path}: an amount is asked {number} times; it must be an even number to {MAX_ANSWERS}."
        )
    return number


def _add_steps(log: Log, label: str, amounts: Any, found: _Answers, repetitions: int, place: str) -> None:
    for amount in amounts:
        replies = found.replies.get(float(amount), {False: [], True: []})
        if len(replies[False]) != repetitions // 2 or len(replies[True]) != repetitions // 2:
            continue
        counts: Counter[str] = Counter()
        for flipped, given in replies.items():
            for number, reply in enumerate(given):
                letter = read_letter(reply.text)
                counts[INVALID if letter is None else LATER if (letter == "A") == flipped else NOW] += 1
                # Our questionnaires flip every second question.
                log.calls.append(Call(len(log.steps), SINGLE_SEAT, 0, 2 * number + flipped, reply))
        action = {"horizon": label, "amount": amount} | {name: counts[name] for name in (LATER, NOW, INVALID)}
        claimed = found.claimed.get(float(amount))
        recorded = {} if claimed is None else {"preferred $100": claimed}
        log.steps.append(Step(action, recorded, f"{place}: ${amount}"))
