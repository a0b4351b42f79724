"""A figure that is not known yet: what is expected, and a range around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

LESS, MORE = 0.9, 1.2
"""The next value may lie somewhat outside of those before it."""


@dataclass(frozen=True)
class Spread:
    low: float
    expected: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """What measured values say about the next one."""
        return cls(LESS * min(values), median(values), MORE * max(values))

    def __add__(self, other: Spread) -> Spread:
        return Spread(self.low + other.low, self.expected + other.expected, self.high + other.high)

    def times(self, factor: float) -> Spread:
        return Spread(self.low * factor, self.expected * factor, self.high * factor)

    def largest(self, other: Spread) -> Spread:
        return Spread(max(self.low, other.low), max(self.expected, other.expected), max(self.high, other.high))
