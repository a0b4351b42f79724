"""Reads the answers to a questionnaire. A folder holds one setting, a file the answers of one model, a row one answer.

All settings of a model in one archive form one run. Answers are read again from the replies. The counts in the
folder's table of results are only compared with them.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from agents.llm import Reply
from agents.tools import MAX_CHARACTERS, storable
from environments.base import SINGLE_SEAT
from games.logs.cells import LogRefused
from games.logs.format import AnswerFormat, Step
from workspace.transfer.reading.chats import Call
from workspace.transfer.reading.completions import read_completion
from workspace.transfer.reading.logs import Log
from workspace.transfer.reading.sources import SourceFile, refuse_if
from workspace.transfer.reading.tables import rows
from workspace.transfer.reading.times import time_of

MAX_ANSWERS = 100
"""The most repetitions of a question in our questionnaires."""


@dataclass(frozen=True)
class AnswerFolder:
    """The answers of one model to the questions of one setting. label, path: as in a LogFolder"""

    label: str
    path: PurePosixPath
    setting: str
    model: str
    answers: SourceFile
    results: SourceFile | None


Replies = dict[float, dict[bool, list[Reply]]]
"""The replies of one setting by amount, then by whether the options were swapped."""


def setting_of(
    answer_format: AnswerFormat, folder: PurePosixPath, answers: SourceFile, results: SourceFile | None
) -> str:
    """Return the setting that the folder's name or else the first question names; empty if neither does."""
    if setting := answer_format.setting_in(folder.name):
        return setting
    try:
        first = next(rows(answers, ("messages", "response")), None) if results else None
    except LogRefused:
        return ""
    asked = answer_format.asked(first.values["messages"]) if first else None
    return asked.setting if asked else ""


def grouped(folders: Iterable[AnswerFolder]) -> list[list[AnswerFolder]]:
    """Group the folders by run. Two folders of one model and setting belong to different runs."""
    groups: dict[tuple[str, int], list[AnswerFolder]] = defaultdict(list)
    times: Counter[tuple[str, str]] = Counter()
    for folder in folders:
        groups[folder.model, times[folder.model, folder.setting]].append(folder)
        times[folder.model, folder.setting] += 1
    return list(groups.values())


def read_answers(answer_format: AnswerFormat, folders: list[AnswerFolder], with_replies: bool = True) -> Log:
    """Return the log of one run. Replies are always read, because actions are counted from them. Raises LogRefused."""
    digest = hashlib.sha256()
    answers = {folder.setting: _answers(answer_format, folder, digest) for folder in folders}
    repetitions = _repetitions(folders[0].answers.path, [replies for replies, _ in answers.values()])
    game = answer_format.game(answers.keys(), repetitions, folders[0].model)
    paths = ", ".join(folder.label for folder in folders)
    log = Log(paths, game, game.model, played_at=time_of(folders[0].path.name))
    log.sign(digest)
    amounts = [
        (setting, amount)
        for setting, amounts in answer_format.amounts.items()
        if setting in answers
        for amount in amounts
    ]
    for setting, amount in amounts:
        replies, claimed = answers[setting]
        halves = replies.get(float(amount), {})
        if [len(half) for half in halves.values()] == [repetitions // 2] * 2:
            recorded = {answer_format.recorded: claimed[amount]} if amount in claimed else {}
            texts = {is_flipped: [reply.text for reply in half] for is_flipped, half in halves.items()}
            # Our questionnaires swap the options of every second question.
            log.calls += [
                Call(len(log.steps), SINGLE_SEAT, 0, 2 * number + is_flipped, reply)
                for is_flipped, half in halves.items()
                for number, reply in enumerate(half)
            ]
            log.steps.append(Step(answer_format.action(setting, amount, texts), recorded, f"{paths}: ${amount}"))
    log.queries = len(log.calls)
    refuse_if(not log.steps, f"{paths} holds no amount that was asked to its end.")
    return log


def _answers(answer_format: AnswerFormat, folder: AnswerFolder, digest: Any) -> tuple[Replies, dict[float, int]]:
    """The replies by amount, and the counts that the folder's table of results claims, by amount."""
    replies_by_amount: Replies = defaultdict(lambda: {False: [], True: []})
    claimed: dict[float, int] = {}
    amounts = set(map(float, answer_format.amounts[folder.setting]))
    # In a truncated file, answers of the last amount are missing. That amount is left out as incomplete.
    for cells in rows(folder.answers, ("messages", "response"), digest, on_cut=lambda line: None):
        asked = answer_format.asked(cells.values["messages"])
        if asked is None or asked.setting != folder.setting or asked.amount not in amounts:
            raise cells.refuse(
                f"messages is not a question about $100 now and an amount of {folder.setting.replace('_', ' ')}"
            )
        replies = replies_by_amount[asked.amount][asked.is_flipped]
        if len(replies) >= MAX_ANSWERS:
            raise cells.refuse(f"${asked.amount_text} is asked more than {2 * MAX_ANSWERS} times")
        completion = read_completion(cells.values.get("completion", ""))
        reply = completion.reply if completion else Reply(stop="end")
        text = storable(cells.values["response"][:MAX_CHARACTERS])
        replies.append(Reply(text=text, usage=reply.usage, stop=reply.stop, model=folder.model))
    if folder.results:
        for cells in rows(folder.results, ("model", "value", answer_format.claim), digest):
            if cells.text("model") == folder.model:
                claimed[cells.number("value")] = cells.whole(answer_format.claim, 10_000)
    return replies_by_amount, claimed


def _repetitions(path: PurePosixPath, answers: list[Replies]) -> int:
    """The number of times that each amount is asked. The last amount of a truncated file has fewer.

    Raises LogRefused if there is no answer, or if the number is odd or too high.
    """
    number = max((sum(map(len, halves.values())) for replies in answers for halves in replies.values()), default=0)
    refuse_if(not number, f"{path} holds no answer.")
    refuse_if(
        number > MAX_ANSWERS or number % 2 == 1,
        f"{path}: an amount is asked {number} times; it must be an even number to {MAX_ANSWERS}.",
    )
    return number
