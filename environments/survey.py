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
    flipped: whether the options are in reverse order
    options: the texts of A and B
    """

    key: str
    prompt: str
    flipped: bool = False
    options: tuple[str, str] = ("", "")


class Survey(Environment):
    """An environment without tools. A period asks questions and turns all answers into one action.

    Questions do not depend on earlier answers, so they may be asked at the same time.

    max_tries: how often a question is asked, each time in a new chat, before it is recorded as invalid
    """

    action_tool = ""
    action_argument = "action"
    history_tool = ""
    max_tries: ClassVar[int] = 3

    @abstractmethod
    def questions(self, ahead: int = 0) -> tuple[Question, ...]:
        """The questions of the period that is `ahead` periods after the current one; empty after the end of the run."""

    @abstractmethod
    def read_answer(self, question: Question, text: str) -> str | None:
        """Read the answer in a reply and return the environment's name for it; None if the reply is invalid."""

    @abstractmethod
    def tally(self, answers: Mapping[str, str | None]) -> dict[str, Any]:
        """Combine the answers, by question key, into the action of the period."""

    def system_prompt(self, seat: str = SINGLE_SEAT) -> str:
        return ""

    initial_prompt = reply_prompt = system_prompt

    def tools(self, seat: str = SINGLE_SEAT) -> tuple[Tool, ...]:
        return ()

    def observed(self, outcome: Outcome, seat: str = SINGLE_SEAT) -> dict[str, Any]:
        """Return only the period number, because the agent sees nothing of the past."""
        return {"period": outcome.period}

    def call(self, name: str, seat: str = SINGLE_SEAT, since: int = 0) -> str:
        raise ToolError(f"There is no tool called {name[:60]!r}; there are none.")


def read_letter(text: str) -> str | None:
    """Return 'A' or 'B' if the reply has exactly one `<answer>` element with only that letter; None for any other reply.

    Case and white space do not matter. The function takes linear time.
    """
    tags = list(_TAG.finditer(text))
    if [tag[1] for tag in tags] != ["", "/"]:
        return None
    letter = text[tags[0].end() : tags[1].start()].strip().upper()
    return letter if letter in ("A", "B") else None
