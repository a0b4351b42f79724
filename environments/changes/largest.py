"""The largest changes of a run, on one scale over kinds of change."""

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from environments.changes.levels import SHORTEST, noise_of
from environments.changes.series import Course, Series
from environments.changes.spreads import DEVIATION, log_moves
from environments.changes.wording import REWORDED, rewordings
from environments.findings import MALFORMED, Finding, NotApplicable, Played, number

MOST = 3
WINDOWS = (1, 5, 20)
"""Periods on each side whose means are compared: a jump of one period, a phase, and a lasting change."""

APART = 5
"""Periods between two of the largest changes. Action, result and notes that change together are one event."""

FEWEST = 4
"""Periods below which a run has no course."""

ACTIONS, RESULT, SPREAD, NOTES = "actions", "result", "spread", "notes"
KINDS = {ACTIONS: "Actions", RESULT: "Result", SPREAD: "Spread", NOTES: "Notes"}
"""Title by kind, which is the `rule` of the findings here."""


def largest_changes(course: Course, played: Played) -> list[Finding]:
    """At most MOST findings, the largest first, at least APART periods from each other. Their value is the size.

    The size of a change of level is the difference of the means on both sides over its standard error, with the noise
    that is usual around the period, at least a quarter of the smallest change that means something: moving sums with
    several bandwidths (Eichinger and Kirch 2018). That of a spread is the same for the logarithms of the moves. That of
    notes is the change of their wording over its usual size, at least a quarter of what counts as one.
    """
    candidates = [change for of_kind in _kinds(course, played) for change in _readable(of_kind)]
    chosen: list[Finding] = []
    for change in sorted(candidates, key=lambda one: (-(one.value or 0.0), one.period or 0)):
        if len(chosen) < MOST and all(abs((one.period or 0) - (change.period or 0)) >= APART for one in chosen):
            chosen.append(change)
    return chosen


def _kinds(course: Course, played: Played) -> Iterator[Callable[[], Iterable[Finding]]]:
    yield lambda: (change for series in course.actions(played) for change in _levels(series, ACTIONS))
    yield lambda: (change for series in course.results(played) for change in _levels(series, RESULT))
    yield lambda: (change for series in course.actions(played) for change in _spreads(series))
    yield lambda: _notes(played)


def _readable(changes: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """No changes of a kind where a value is missing or malformed."""
    try:
        return [change for change in changes() if math.isfinite(change.value or 0.0) and change.value]
    except (NotApplicable, *MALFORMED):
        return []


def _levels(series: Series, kind: str) -> Iterator[Finding]:
    values = [number(value) for value in series.values]
    if len(values) < FEWEST:
        return
    for place, (size, window, before, after) in _jumps(values, lambda near: noise_of(near, series.step), WINDOWS):
        period = series.start + place
        when = f"In period {period}" if window == 1 else f"From period {period} on"
        about = "" if window == 1 else f", by the means of up to {window} periods"
        yield Finding(f"{when} {series.went(before, after)}{about}.", period, size, series.seat, kind)


def _spreads(series: Series) -> Iterator[Finding]:
    values = [number(value) for value in series.values]
    if len(values) <= 2 * SHORTEST:
        return
    for place, (size, _, before, after) in _jumps(log_moves(values, series.step), lambda _: DEVIATION, WINDOWS[-1:]):
        if SHORTEST <= place < len(values) - SHORTEST:
            period = series.start + place + 1
            less = "more" if after > before else "less"
            sentence = (
                f"From period {period} on, {series.subject} varied {math.exp(abs(after - before)):.1f} times {less}."
            )
            yield Finding(sentence, period, size, series.seat, SPREAD)


def _jumps(
    values: Sequence[float], noise: Callable[[Sequence[float]], float], windows: Sequence[int]
) -> Iterator[tuple[int, tuple[float, int, float, float]]]:
    """(place, (size, window, mean before, mean after)) of the largest size of each place but the first."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    for place in range(1, len(values)):
        usual = noise(values[max(0, place - SHORTEST) : place + SHORTEST])
        jumps = []
        for window in windows:
            left, right = max(0, place - window), min(len(values), place + window)
            before, after = (sums[place] - sums[left]) / (place - left), (sums[right] - sums[place]) / (right - place)
            error = usual * math.sqrt(1 / (place - left) + 1 / (right - place))
            jumps.append((abs(float(after - before)) / error, window, float(before), float(after)))
        yield place, max(jumps)


def _notes(played: Played) -> Iterator[Finding]:
    for seat, texts in sorted(played.notes.items()):
        changes = rewordings(texts)
        usual = max(1.4826 * statistics.median(abs(one.size) for one in changes), REWORDED / 4) if changes else 1.0
        whose = seat if len(played.notes) > 1 else ""
        of_whom = f" in {seat.replace('_', ' ')}" if whose else ""
        for one in changes:
            if one.size > 0:
                sentence = f"From period {one.period} on its notes{of_whom} use other words."
                yield Finding(sentence, one.period, one.size / usual, whose, NOTES)
