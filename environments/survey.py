"""Surveys: environments whose period is a set of questions, each asked in its own chat without tools."""

import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from environments.base import SINGLE_SEAT, Environment, Outcome, Tool, ToolError

_TAG = re.compile(r"<\s*+(/?)\s*+answer\s*+>", re.IGNORECASE)


@dataclass(frozen=True)
class Question:
    """One question with two options, A and B.

    key: unique within the period
    flipped: the options are in reverse order
    options: the texts of A and B
    """

    key: str
    prompt: str
    flipped: bool = False
    options: tuple[str, str] = ("", "")


class Survey(Environment):
    """An environment without tools. A period asks questions and turns all answers into one action.

    Questions do not depend on answers, so they may be asked at the same time.

    max_tries: how often a question is asked, each time in a new chat, before its answer is recorded as invalid
    """

    action_tool = ""
    action_argument = "action"
    history_tool = ""
    max_tries: ClassVar[int] = 3

    @abstractmethod
    def questions(self, ahead: int = 0) -> tuple[Question, ...]:
        """The questions of the current period or of one `ahead` periods later; empty after the end of the run."""

    @abstractmethod
    def read_answer(self, question: Question, text: str) -> str | None:
        """The answer in a reply, in the environment's own words; None if it is invalid."""

    @abstractmethod
    def tally(self, answers: Mapping[str, str | None]) -> dict[str, Any]:
        """The action of the period from the answers by question key."""

    def system_prompt(self, seat: str = SINGLE_SEAT) -> str:
        return ""

    initial_prompt = reply_prompt = system_prompt

    def tools(self, seat: str = SINGLE_SEAT) -> tuple[Tool, ...]:
        return ()

    def observed(self, outcome: Outcome, seat: str = SINGLE_SEAT) -> dict[str, Any]:
        """Only the period: the agent reads nothing of the past."""
        return {"period": outcome.period}

    def call(self, name: str, seat: str = SINGLE_SEAT, since: int = 0) -> str:
        raise ToolError(f"There is no tool called {name[:60]!r}; there are none.")


def read_letter(text: str) -> str | None:
    """'A' or 'B' from a reply with exactly one `<answer>` element that holds nothing else; None for any other reply.

    Case and white space do not matter. Takes linear time.
    """
    tags = list(_TAG.finditer(text))
    if [tag[1] for tag in tags] != ["", "/"]:
        return None
    letter = text[tags[0].end() : tags[1].start()].strip().upper()
    return letter if letter in ("A", "B") else None
