"""The largest changes of a run. Changes of all kinds are measured on one scale."""

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from environments.changes.levels import DEVIATION, SHORTEST, STILL, log_moves, noise_of
from environments.changes.rules import Course, Series
from environments.changes.wording import REWORDED, WINDOW, rewordings
from environments.findings import MALFORMED, Finding, FinishedRun, NotApplicable, number

MOST = 3
APART = 3
"""Minimum number of periods between two reported changes of different series. An action and its result are one event."""

FEWEST = 4
"""Minimum number of periods in which a change can be found."""

ACTIONS, RESULT, SPREAD, NOTES = "actions", "result", "spread", "notes"
KINDS = {
    ACTIONS: "Change of actions",
    RESULT: "Change of result",
    SPREAD: "Change of spread",
    NOTES: "Change of notes",
}
"""Title of each kind of change. The kind is stored as the `rule` of the findings."""


def largest_changes(course: Course, run: FinishedRun) -> list[Finding]:
    """Return at most MOST findings, the largest first. The value of a finding is the size of the change.

    Sizes are differences in standard errors, so that all kinds can be compared. Changes of level lie between the MOST + 1
    segments that fit a series best, by least squares weighted by the usual noise around each period. Changes of spread
    are found in the same way in the logarithms of the moves. The size of a change of wording is relative to its usual size.
    """
    candidates = [change for of_kind in _kinds(course, run) for change in _readable(of_kind)]
    largest: list[Finding] = []
    for change in sorted(candidates, key=lambda change: (-(change.value or 0.0), change.period or 0)):
        if len(largest) < MOST and not any(_same_event(change, other) for other in largest):
            largest.append(change)
    return largest


def _same_event(first: Finding, second: Finding) -> bool:
    is_same_series = (first.rule, first.seat) == (second.rule, second.seat)
    return not is_same_series and abs((first.period or 0) - (second.period or 0)) < APART


def _kinds(course: Course, run: FinishedRun) -> Iterator[Callable[[], Iterable[Finding]]]:
    yield lambda: (change for series in course.actions(run) for change in _levels(series, ACTIONS))
    yield lambda: (change for series in course.results(run) for change in _levels(series, RESULT))
    yield lambda: (change for series in course.actions(run) for change in _spreads(series))
    yield lambda: _notes(run)


def _readable(changes: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """Return the changes of one kind; none if a value is missing or malformed."""
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            return [change for change in changes() if change.value and math.isfinite(change.value)]
    except (NotApplicable, *MALFORMED):
        return []


def _levels(series: Series, kind: str) -> Iterator[Finding]:
    values = [number(value) for value in series.values]
    if len(values) < FEWEST:
        return
    for start, position, end, size in _jumps(values, _noises(values, series.step), 1):
        period = series.start + position
        before, after = statistics.fmean(values[start:position]), statistics.fmean(values[position:end])
        if abs(after - before) < series.step * STILL:
            continue
        means = "" if end - start == 2 else f", means of {position - start} and {end - position} periods"
        yield Finding(f"In period {period} {series.went(before, after)}{means}.", period, size, series.seat, kind)


def _noises(values: Sequence[float], step: float) -> list[float]:
    """Return the usual noise around each value: that of the SHORTEST values before or after it, whichever is larger.

    If there are fewer values on one side, values of the other side are added: a single jump would dominate a short side.
    """
    last = max(0, len(values) - SHORTEST - 1)
    starts = [max(0, min(position, last)) for position in range(len(values))]
    noise = [noise_of(values[start : start + SHORTEST + 1], step) for start in range(last + 1)]
    return [max(noise[start], noise[max(0, min(position - SHORTEST, last))]) for position, start in enumerate(starts)]


def _spreads(series: Series) -> Iterator[Finding]:
    values = [number(value) for value in series.values]
    if len(values) <= 2 * SHORTEST:
        return
    logs = log_moves(values, series.step)
    for start, position, end, size in _jumps(logs, [DEVIATION] * len(logs), SHORTEST):
        period = series.start + position + 1
        change = statistics.fmean(logs[position:end]) - statistics.fmean(logs[start:position])
        if abs(change) < math.log1p(STILL):
            continue
        less = "more" if change > 0 else "less"
        yield Finding(
            f"From period {period} on {series.subject} varied {math.exp(abs(change)):.1f} times {less} than before.",
            period,
            size,
            series.seat,
            SPREAD,
        )


def _jumps(values: Sequence[float], noise: Sequence[float], shortest: int) -> Iterator[tuple[int, int, int, float]]:
    """Yield (start, position, end, size) of each jump between the best segments of at least `shortest` values.

    noise: the standard deviation of each value
    size: difference of the weighted means of the two segments, in standard errors of that difference
    """
    weights = 1 / np.square(noise)
    weight, total, square = (
        np.concatenate([[0.0], np.cumsum(weights * np.power(values, power))]) for power in (0, 1, 2)
    )
    starts, stops = np.meshgrid(np.arange(len(values) + 1), np.arange(len(values) + 1), indexing="ij")
    of_segment = np.where(stops > starts, weight[stops] - weight[starts], 1.0)
    costs = square[stops] - square[starts] - (total[stops] - total[starts]) ** 2 / of_segment
    costs = np.where(stops - starts >= shortest, costs, np.inf)
    least, before = costs[0], []
    for _ in range(min(MOST, len(values) // shortest - 1)):
        through = least[:, None] + costs
        before.append(through.argmin(axis=0))
        least = through.min(axis=0)
    ends = [len(values)]
    for positions in reversed(before):
        ends.append(int(positions[ends[-1]]))
    ends = [0, *reversed(ends)]
    for start, position, end in zip(ends, ends[1:], ends[2:], strict=False):
        means = [(total[b] - total[a]) / (weight[b] - weight[a]) for a, b in ((start, position), (position, end))]
        error = math.sqrt(1 / of_segment[start, position] + 1 / of_segment[position, end])
        yield start, position, end, abs(float(means[1] - means[0])) / error


def _notes(run: FinishedRun) -> Iterator[Finding]:
    for seat, in_seat, texts in run.notes_by_seat():
        changes = rewordings(texts)
        usual = (
            max(1.4826 * statistics.median(abs(change.size) for change in changes), REWORDED / 4) if changes else 1.0
        )
        for position, change in enumerate(changes):
            near = changes[max(0, position - WINDOW) : position + WINDOW + 1]
            if change.size > 0 and change is max(near, key=lambda change: change.size):
                yield Finding(
                    f"From period {change.period} on its notes{in_seat} use other words.",
                    change.period,
                    change.size / usual,
                    seat,
                    NOTES,
                )
