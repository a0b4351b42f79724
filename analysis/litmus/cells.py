"""The cells of the litmus table: a number, its interval in words, and its interval as a whisker."""

from dataclasses import dataclass

from environments.litmus import clamped
from stats.summaries import Summary


@dataclass(frozen=True)
class LitmusCell:
    """One number of the table.

    small: its interval or standard error, and its runs; for screen readers, and for the pointer with `title`
    count: how many runs have finished, unless all have
    whisker: ends of the interval and the number itself, as percent of the scale of the test; empty if there is none
    tone: 'weak' for a greyed litmus score, 'low' for a competency or reliability below its threshold, 'none' for an
        unknown score
    """

    text: str
    small: str = ""
    title: str = ""
    tone: str = ""
    first: bool = False
    count: str = ""
    whisker: tuple[float, ...] = ()


def interval_sentence(small: str) -> str:
    """The small print as a sentence; empty without any."""
    return f"{small[0].upper()}{small[1:]}." if small else ""


def whisker_of(summary: Summary, top: float) -> tuple[float, ...]:
    """The ends of the 95 % interval, or of the standard error, and the mean, as percent of a scale from 0 to `top`."""
    error = summary.standard_error
    ends = summary.interval or (error and (summary.mean - error, summary.mean + error))  # type: ignore[operator]
    return tuple(round(100 * clamped(value / top), 1) for value in (*ends, summary.mean)) if ends else ()  # type: ignore[operator]
