"""An expected value with a range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

LESS, MORE = 0.9, 1.2
"""Factors that widen the measured range, since the next value may lie outside it."""


@dataclass(frozen=True)
class EstimatedRange:
    low: float
    expected: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> EstimatedRange:
        """The range of the next value, from measured ones."""
        return cls(LESS * min(values), median(values), MORE * max(values))

    def __add__(self, other: EstimatedRange) -> EstimatedRange:
        return EstimatedRange(self.low + other.low, self.expected + other.expected, self.high + other.high)

    def __mul__(self, other: EstimatedRange) -> EstimatedRange:
        return EstimatedRange(self.low * other.low, self.expected * other.expected, self.high * other.high)

    def times(self, factor: float) -> EstimatedRange:
        return EstimatedRange(self.low * factor, self.expected * factor, self.high * factor)

    def largest(self, other: EstimatedRange) -> EstimatedRange:
        return EstimatedRange(max(self.low, other.low), max(self.expected, other.expected), max(self.high, other.high))
