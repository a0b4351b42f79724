"""How the scores of each environment and variant are written: one table for the matrix, the score table and the runs.

Benchmark scores are points of 100. Litmus scores are no marks out of a hundred: a place between two ends from 0 to 1, or a
rate a year; competencies are shares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from infrastructure.text.formats import percent, score, share


@dataclass(frozen=True)
class ScoreFormat:
    """label: what the number is called; note: its unit or scale in a few words
    text: the number on a page; short: the same in the small cell of a matrix
    top: the value with the strongest colour
    """

    label: str
    note: str
    text: Callable[[float | None], str]
    short: Callable[[float], str]
    top: float = 1.0

    def heat(self, value: float | None) -> str:
        """The class that colours the number: heat-0 to heat-10."""
        return "" if value is None else f"heat-{min(10, max(0, int(10 * value / self.top + 0.5)))}"


def _points(value: float) -> str:
    return str(round(value * 100)).replace("-", "−")


def _share(value: float) -> str:
    return f"{value:.2f}".removeprefix("0") if value < 0.995 else "1"


def _rate(value: float) -> str:
    return f"{value * 100:.1f}"


POINTS = ScoreFormat("Score", "", score, _points)
COMPETENCY = ScoreFormat("Competency", "1 is faultless", share, _share)
RATE = ScoreFormat("Litmus rate", "a year, continuously compounded", percent, _rate, top=0.2)

FORMATS: dict[tuple[str, str], ScoreFormat] = {
    ("patience_vs_impatience", "main"): RATE,
    ("patience_vs_impatience", "interest_rate"): COMPETENCY,
    ("efficiency_vs_equality", "main"): ScoreFormat("Litmus score", "0 equality, 1 efficiency", share, _share),
    ("efficiency_vs_equality", "efficiency"): COMPETENCY,
    ("efficiency_vs_equality", "equality"): COMPETENCY,
    ("collusiveness_vs_competitiveness", "main"): ScoreFormat("Litmus score", "0 Nash, 1 collusive", share, _share),
    ("collusiveness_vs_competitiveness", "single_agent"): COMPETENCY,
}

VARIANT_WORDS = {
    "single_agent": "one seller alone",
    "interest_rate": "prompt names a rate",
    "user_name": "prompt tells a name",
}


def score_format(environment: str, variant: str = "main") -> ScoreFormat:
    return FORMATS.get((environment, variant), POINTS)


def variant_words(variant: str) -> str:
    """'efficiency prompt'"""
    return VARIANT_WORDS.get(variant) or f"{variant.replace('_', ' ')} prompt"
