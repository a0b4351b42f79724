"""Patience: a folder holds one horizon, a file `MODEL_logs.csv` the answers of one model, a row one answer.

All horizons of a model in one archive are one run. Answers are read again from the replies; the counts in
`high_level_results.csv` are only compared.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from agents.llm import Reply
from agents.notes import MAX_CHARACTERS, storable
from environments.base import SINGLE_SEAT
from environments.patience.environment import INVALID, LATER, NOW
from environments.patience.instance import HORIZONS
from environments.survey import read_letter
from workspace.transfer.reading.completions import read_completion
from workspace.transfer.reading.formats.base import instance_of_settings
from workspace.transfer.reading.logs import Call, Log, LoggedGame, Step
from workspace.transfer.reading.sources import LogRefused, SourceFile
from workspace.transfer.reading.tables import rows
from workspace.transfer.reading.times import time_of

ENDING = "_logs.csv"
RESULTS = "high_level_results.csv"
FOLDER = re.compile(r"__choice__(" + "|".join(setting for setting, *_ in HORIZONS) + r")$")
_NOW = r"receiving \$100 right now"
_LATER = r"receiving \$(\d{1,6}(?:\.\d{1,2})?) ([a-z ]{1,20}) from today"
_NOW_FIRST, _LATER_FIRST = re.compile(f"A: {_NOW} or B: {_LATER}"), re.compile(f"A: {_LATER} or B: {_NOW}")
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


Replies = dict[float, dict[bool, list[Reply]]]
"""The replies of one horizon by amount and by whether the options were swapped."""


def setting_of(folder: PurePosixPath, answers: SourceFile, results: SourceFile | None) -> str:
    """The horizon's setting, such as 'one_year': from the folder's name, or, for folders that lost it, from the first
    question. An empty text if neither says it."""
    if match := FOLDER.search(folder.name):
        return match[1]
    try:
        first = next(rows(answers, ("messages", "response")), None) if results else None
    except LogRefused:
        return ""
    question = _question(first.values["messages"]) if first else None
    return next((setting for setting, *_ in HORIZONS if question and question[2] == setting.replace("_", " ")), "")


def _question(messages: str) -> re.Match[str] | None:
    return _NOW_FIRST.search(messages) or _LATER_FIRST.search(messages)


def grouped(folders: Iterable[HorizonFolder]) -> list[list[HorizonFolder]]:
    """The folders of each run. A repeated horizon of a model begins another run."""
    groups: dict[tuple[str, int], list[HorizonFolder]] = defaultdict(list)
    times: Counter[tuple[str, str]] = Counter()
    for folder in folders:
        groups[folder.model, times[folder.model, folder.setting]].append(folder)
        times[folder.model, folder.setting] += 1
    return list(groups.values())


def read_patience(folders: list[HorizonFolder], with_replies: bool = True) -> Log:
    """The log of one run. Its actions are counted from the replies, so these are always read. Raises LogRefused."""
    digest = hashlib.sha256()
    answers = {folder.setting: _answers(folder, digest) for folder in folders}
    repetitions = _repetitions(folders[0].answers.path, [replies for replies, _ in answers.values()])
    settings = {"repetitions": repetitions} | {setting: int(setting in answers) for setting, *_ in HORIZONS}
    instance = instance_of_settings("patience_vs_impatience", settings, 0)
    horizons = [(label, amounts, answers[setting]) for setting, label, _, amounts in HORIZONS if setting in answers]
    game = LoggedGame(instance, "main", False, sum(len(amounts) for _, amounts, _ in horizons), folders[0].model)
    paths = ", ".join(folder.label for folder in folders)
    log = Log(paths, game, game.model, played_at=time_of(folders[0].path.name))
    log.sign(digest)
    for label, amounts, (replies, claimed) in horizons:
        for amount in amounts:
            halves = replies.get(float(amount), {})
            if [len(half) for half in halves.values()] == [repetitions // 2] * 2:
                recorded = {"preferred $100": claimed[amount]} if amount in claimed else {}
                action = {"horizon": label, "amount": amount} | _counted(log, halves)
                log.steps.append(Step(action, recorded, f"{paths}: ${amount}"))
    log.queries = len(log.calls)
    if not log.steps:
        raise LogRefused(f"{paths} holds no amount that was asked to its end.")
    return log


def _answers(folder: HorizonFolder, digest: Any) -> tuple[Replies, dict[float, int]]:
    """The replies, and the counts that the folder claims, by amount."""
    replies_by_amount: Replies = defaultdict(lambda: {False: [], True: []})
    claimed: dict[float, int] = {}
    label = folder.setting.replace("_", " ")
    tested = {float(amount) for setting, _, _, amounts in HORIZONS if setting == folder.setting for amount in amounts}
    # A truncated file lacks answers of its last amount, which is left out as incomplete.
    for cells in rows(folder.answers, ("messages", "response"), digest, on_cut=lambda line: None):
        match = _question(cells.values["messages"])
        if match is None or match[2] != label or float(match[1]) not in tested:
            raise cells.refuse(f"messages is not a question about $100 now and an amount of {label}")
        replies = replies_by_amount[float(match[1])][match.re is _LATER_FIRST]
        if len(replies) >= MAX_ANSWERS:
            raise cells.refuse(f"${match[1]} is asked more than {2 * MAX_ANSWERS} times")
        completion = read_completion(cells.values.get("completion", ""))
        reply = completion.reply if completion else Reply(stop="end")
        text = storable(cells.values["response"][:MAX_CHARACTERS])
        replies.append(Reply(text=text, usage=reply.usage, stop=reply.stop, model=folder.model))
    if folder.results:
        for cells in rows(folder.results, ("model", "value", "preferred_100_count"), digest):
            if cells.text("model") == folder.model:
                claimed[cells.number("value")] = cells.whole("preferred_100_count", 10_000)
    return replies_by_amount, claimed


def _repetitions(path: PurePosixPath, answers: list[Replies]) -> int:
    """The number of questions by amount; lower for amounts that were broken off."""
    number = max((sum(map(len, halves.values())) for replies in answers for halves in replies.values()), default=0)
    if not number:
        raise LogRefused(f"{path} holds no answer.")
    if number > MAX_ANSWERS or number % 2:
        raise LogRefused(f"{path}: an amount is asked {number} times; it must be an even number to {MAX_ANSWERS}.")
    return number


def _counted(log: Log, replies: dict[bool, list[Reply]]) -> dict[str, int]:
    """The answers by their meaning. The replies become the calls of the log's next period."""
    counts = dict.fromkeys((LATER, NOW, INVALID), 0)
    for flipped, half in replies.items():
        for number, reply in enumerate(half):
            letter = read_letter(reply.text)
            counts[INVALID if letter is None else LATER if (letter == "A") == flipped else NOW] += 1
            # Our questionnaires flip every second question.
            log.calls.append(Call(len(log.steps), SINGLE_SEAT, 0, 2 * number + flipped, reply))
    return counts
