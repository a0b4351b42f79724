"""One period of a survey: each question has its own chat and is asked again if the answer is invalid.

`SurveyChat` is a state machine without I/O, like `agents.loop.PeriodChat`. Its queries are independent: the caller may
send all pending queries at once and pass in the replies in any order.
"""

from typing import Any, NamedTuple

from agents.llm import Reply, Request
from environments.survey import Survey


class SurveyPosition(NamedTuple):
    """The position of a reply: the key of the question and the number of the attempt, from 0."""

    key: str
    attempt: int


class SurveyChat:
    """The questions of one period of a survey: the period that is `ahead` periods after the current one.

    A question ends with the first valid answer, or as invalid after the survey's `max_tries`. The chat does not change the
    survey; the caller steps the survey with `action`.
    """

    def __init__(self, survey: Survey, ahead: int = 0):
        self.survey = survey
        self.questions = {question.key: question for question in survey.questions(ahead)}
        self.answers: dict[str, str | None] = {}
        self._tries = dict.fromkeys(self.questions, 0)

    @property
    def finished(self) -> bool:
        return len(self.answers) == len(self.questions)

    @property
    def action(self) -> dict[str, Any]:
        """The action of the period. Requires that the chat is finished and its period is the survey's current period."""
        if not self.finished:
            raise ValueError(f"{len(self.questions) - len(self.answers)} questions have no answer yet.")
        return self.survey.tally(self.answers)

    def pending(self) -> list[tuple[SurveyPosition, Request]]:
        """All queries without a reply, including those already sent, in the order of the questions.

        Each query is a new chat: the model sees no other answers and none of its invalid answers.
        """
        positions = (SurveyPosition(key, attempt) for key, attempt in self._tries.items() if key not in self.answers)
        return [(position, self.request(position)) for position in positions]

    def request(self, position: SurveyPosition) -> Request:
        """The query at a position."""
        return Request(
            system=self.survey.system_prompt(),
            prompt=self.questions[position.key].prompt,
            tools=(),
            key=f"{position.key}.{position.attempt}",
        )

    def receive(self, position: SurveyPosition, reply: Reply) -> None:
        """Record the reply to a pending query. Raises ValueError for any other position."""
        if (
            position.key not in self.questions
            or position.key in self.answers
            or position.attempt != self._tries[position.key]
        ):
            raise ValueError(f"No reply is awaited for try {position.attempt} of question {position.key!r}.")
        answer = self.survey.read_answer(self.questions[position.key], reply.text)
        self._tries[position.key] += 1
        if answer is not None or self._tries[position.key] == self.survey.max_tries:
            self.answers[position.key] = answer
