"""What an agent did and reached, as numbers by period with the words for them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from environments.findings import FinishedRun, need, number, percent

RESULT_STEP = 0.2
"""Of the best possible result. A smaller difference follows from how demand or luck moves."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """A number for each period.

    step: the smallest difference that means something, in the units of the values
    subject: what the numbers are about, such as 'its price'
    format_value: writes a value; unit: words after it
    start: period of the first value
    sentence: the text for (period, level before, level after) if the level changes for good; by default those of `went`
    """

    values: Sequence[float]
    step: float
    subject: str
    format_value: Callable[[float], str]
    unit: str = ""
    start: int = 0
    seat: str = ""
    sentence: Callable[[int, float, float], str] | None = None

    def changed(self, period: int, before: float, after: float) -> str:
        """The sentence about a lasting change of level."""
        if self.sentence:
            return self.sentence(period, before, after)
        return f"From period {period} on, {self.went(before, after)}."

    def went(self, before: float, after: float) -> str:
        """'its price went from 18.00 to 2.50'"""
        return f"{self.subject} went from {self.format_value(before)} to {self.format_value(after)}{self.unit}"


@dataclass(frozen=True, kw_only=True)
class ResultSeries(Series):
    """What an agent reached in each period, in shares of the best. `can_lose`: a value below 0 is a loss."""

    step: float = RESULT_STEP
    subject: str = "its result"
    format_value: Callable[[float], str] = percent
    unit: str = " of the optimum"
    can_lose: bool = True


def qualities(run: FinishedRun) -> Iterable[ResultSeries]:
    """The quality of each period. Does not apply where one is unknown."""
    need(all(outcome.quality is not None for outcome in run.outcomes))
    yield ResultSeries(values=[number(outcome.quality) for outcome in run.outcomes], can_lose=False)


@dataclass(frozen=True)
class Course:
    """The series of an environment: the levels at which an agent acts, and what it reached.

    parts: the actions one by one, where `actions` has their mean
    """

    actions: Callable[[FinishedRun], Iterable[Series]] = lambda run: ()
    results: Callable[[FinishedRun], Iterable[ResultSeries]] = qualities
    parts: Callable[[FinishedRun], Iterable[Series]] | None = None
