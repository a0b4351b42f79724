"""A Log played again by its actions: what came of them here, and where the log says something else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from agents.notes import storable
from environments.base import Environment, Instance, Outcome, Score, ToolError
from environments.registry import ENVIRONMENTS, GENERATION
from runs.importing.logs import Log
from runs.importing.refusals import Refused

ROUNDING, RELATIVE = 0.0051, 1e-6
"""How far a recorded number may lie from ours: the logs round to cents."""

MANY_ROUNDED = ("total_profit",)
"""Sums of rounded numbers: each of up to fifty products adds its rounding."""

TOLD = 5


@dataclass(frozen=True)
class Replay:
    """outcomes and score are ours; recorded_score is the score of the log's own results by the same formula, None where
    it records nothing that is scored; differences: one sentence for each kind of result that differs"""

    instance: Instance
    outcomes: list[Outcome]
    is_whole: bool
    score: Score
    metrics: dict[str, Any] | None
    recorded_score: float | None
    differences: list[str]


def needs_solving(instance: Instance) -> bool:
    return not instance.reference and GENERATION[instance.environment].reference_is_costly


def solved(instance: Instance) -> Instance:
    """With its reference, which may take seconds to compute."""
    return (
        instance
        if instance.reference
        else replace(instance, reference=GENERATION[instance.environment].reference(instance))
    )


def replay(log: Log, instance: Instance) -> Replay:
    """Play the log's actions on `instance`, which is the log's own with its reference. Raises Refused."""
    game = log.game
    environment: Environment = ENVIRONMENTS[instance.environment](
        instance, variant=game.variant, reasoning=game.reasoning, periods=game.periods
    )
    differences = _Differences()
    claimed = []
    for step in log.steps:
        if environment.finished:
            raise Refused(f"{step.place} comes after the run had ended.")
        try:
            action = environment.parse_joint(step.action)
        except ToolError as error:
            raise Refused(f"{step.place} is no action of this game: {error}") from None
        outcome = environment.step(action)
        differences.look(outcome, step.recorded)
        claimed.append(replace(outcome, result=outcome.result | step.recorded))
    score = environment.score(instance, environment.outcomes, game.periods, game.variant)
    whole = environment.finished
    return Replay(
        instance=instance,
        outcomes=environment.outcomes,
        is_whole=whole,
        score=score if whole else Score(None),
        metrics=environment.metrics(instance, environment.outcomes, game.periods) if whole else None,
        recorded_score=_claimed_score(environment, claimed, log) if whole else None,
        differences=differences.sentences(len(log.steps)),
    )


def _claimed_score(environment: Environment, claimed: list[Outcome], log: Log) -> float | None:
    if not any(step.recorded for step in log.steps):
        return None
    try:
        value = environment.score(environment.instance, claimed, log.game.periods, log.game.variant).value
    except (ArithmeticError, KeyError, TypeError, ValueError, AttributeError):
        return None
    return value if value is not None and math.isfinite(value) else None


class _Differences:
    """By kind of result: in how many periods it differs, and the first."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[int, int, Any, Any]] = {}

    def look(self, outcome: Outcome, recorded: Mapping[str, Any]) -> None:
        ours = outcome.result
        if "preferred $100" in recorded:
            ours = {"preferred $100": outcome.action["now"]}
        for name, theirs in recorded.items():
            if not _agree(ours.get(name), theirs, 50 * ROUNDING if name in MANY_ROUNDED else ROUNDING):
                count, first, *_ = self.found.get(name, (0, outcome.period, 0))
                kept = self.found[name][2:] if count else (theirs, ours.get(name))
                self.found[name] = (count + 1, first, *kept)

    def sentences(self, periods: int) -> list[str]:
        return [
            f"{name.replace('_', ' ').capitalize()}: the log differs in {count} of {periods} periods, first in period "
            f"{first}: {_shown(theirs)} recorded, {_shown(ours)} here."
            for name, (count, first, theirs, ours) in list(self.found.items())[:TOLD]
        ]


def _agree(ours: Any, theirs: Any, tolerance: float) -> bool:
    if isinstance(ours, Mapping):
        return (
            isinstance(theirs, Mapping)
            and ours.keys() == theirs.keys()
            and all(_agree(value, theirs[key], tolerance) for key, value in ours.items())
        )
    if isinstance(ours, list):
        return (
            isinstance(theirs, list)
            and len(ours) == len(theirs)
            and all(_agree(a, b, tolerance) for a, b in zip(ours, theirs, strict=True))
        )
    if isinstance(ours, bool) or isinstance(theirs, bool) or not isinstance(ours, int | float):
        return bool(ours == theirs)
    return isinstance(theirs, int | float) and math.isclose(ours, theirs, rel_tol=RELATIVE, abs_tol=tolerance)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e15 else "a huge number"
    if isinstance(value, list | dict):
        return f"{len(value)} values" if len(str(value)) > 60 else ascii(value)
    return storable(str(value))[:60]
