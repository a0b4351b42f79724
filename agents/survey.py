"""One period of a survey: every question in a chat of its own, asked again while the answer is invalid.

`SurveyChat` is a state machine without input or output like `agents.loop.PeriodChat`, but its queries do not wait for
each other: whoever drives it may send all that are pending at the same time and hand in replies in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agents.llm import Reply, Request
from environments.survey import Question, Survey


@dataclass(frozen=True)
class Place:
    """Where a reply belongs: the question's key and which try it answers, from 0."""

    key: str
    attempt: int


class SurveyChat:
    """Asks the questions of a survey's current period, or of one `ahead` of it.

    A question is done with its first valid answer, or recorded as invalid after the survey's `max_tries`. The survey is
    only read here: whoever drives the chat steps it with `action`.
    """

    def __init__(self, survey: Survey, ahead: int = 0):
        self.survey = survey
        self.questions: dict[str, Question] = {question.key: question for question in survey.questions(ahead)}
        self.answers: dict[str, str | None] = {}
        self._tries = dict.fromkeys(self.questions, 0)

    @property
    def finished(self) -> bool:
        return len(self.answers) == len(self.questions)

    @property
    def action(self) -> dict[str, Any]:
        """The action of the period; only once it is finished, and when it is the survey's current one."""
        if not self.finished:
            raise ValueError(f"{len(self.questions) - len(self.answers)} questions have no answer yet.")
        return self.survey.tally(self.answers)

    def pending(self) -> list[tuple[Place, Request]]:
        """Every query whose reply is missing, those under way included, in the order of the questions."""
        return [
            (Place(key, self._tries[key]), self._request(question, self._tries[key]))
            for key, question in self.questions.items()
            if key not in self.answers
        ]

    def _request(self, question: Question, attempt: int) -> Request:
        """A new chat each time: the model sees neither other answers nor its own invalid ones."""
        return Request(
            system=self.survey.system_prompt(), prompt=question.prompt, tools=(), key=f"{question.key}.{attempt}"
        )

    def receive(self, place: Place, reply: Reply) -> None:
        """Take the reply to a pending query. Raises ValueError for any other place."""
        if place.key not in self.questions or place.key in self.answers or place.attempt != self._tries[place.key]:
            raise ValueError(f"No reply is awaited for try {place.attempt} of question {place.key!r}.")
        answer = self.survey.read_answer(self.questions[place.key], reply.text)
        self._tries[place.key] += 1
        if answer is not None or self._tries[place.key] == self.survey.max_tries:
            self.answers[place.key] = answer
