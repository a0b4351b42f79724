"""Formulas that the litmus tests share (paper, section 5)."""

import statistics
from collections.abc import Sequence


def clamped(value: float) -> float:
    return min(1.0, max(0.0, value))


def reliability(scores: Sequence[float]) -> float | None:
    """1 - the sample standard deviation (n - 1 in the denominator) of the litmus scores of the runs.

    None for fewer than two runs. Source: paper, sections 5.2.3 and J.3.
    """
    return 1.0 - statistics.stdev(scores) if len(scores) > 1 else None
