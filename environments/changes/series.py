"""What an agent did and reached, as numbers by period with the words for them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from environments.findings import Played, need, number, percent

RESULT_STEP = 0.2
"""Of the best possible result. A smaller difference follows from how demand or luck moves."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """A number for each period.

    step: the smallest difference that means something, in the units of the values
    subject: what the numbers are about, such as 'its price'
    shown: a value in words; unit: words after it
    start: period of the first value
    sentence: words for (period, level before, level after) if the level changes for good; by default those of `went`
    """

    values: Sequence[float]
    step: float
    subject: str
    shown: Callable[[float], str]
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
        return f"{self.subject} went from {self.shown(before)} to {self.shown(after)}{self.unit}"


@dataclass(frozen=True, kw_only=True)
class ResultSeries(Series):
    """What an agent reached in each period, in shares of the best. `can_lose`: a value below 0 is a loss."""

    step: float = RESULT_STEP
    subject: str = "its result"
    shown: Callable[[float], str] = percent
    unit: str = " of the optimum"
    can_lose: bool = True


def qualities(played: Played) -> Iterable[ResultSeries]:
    """The quality of each period. Does not apply where one is unknown."""
    need(all(outcome.quality is not None for outcome in played.outcomes))
    yield ResultSeries(values=[number(outcome.quality) for outcome in played.outcomes], can_lose=False)


@dataclass(frozen=True)
class Course:
    """The series of an environment: the levels at which an agent acts, and what it reached.

    parts: the actions one by one, where `actions` has their mean
    """

    actions: Callable[[Played], Iterable[Series]] = lambda played: ()
    results: Callable[[Played], Iterable[ResultSeries]] = qualities
    parts: Callable[[Played], Iterable[Series]] | None = None
