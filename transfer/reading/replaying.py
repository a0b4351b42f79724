"""Replays the actions of a Log and compares the results."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from agents.notes import storable
from environments.base import Environment, Instance, Outcome, Score, ToolError
from environments.registry import ENVIRONMENTS, GENERATION
from transfer.reading.chats import ceiling_in
from transfer.reading.facts import facts_of
from transfer.reading.logs import Log, Step
from transfer.reading.refusals import Refused

ROUNDING, RELATIVE = 0.0051, 1e-6
"""Tolerance of recorded numbers: the logs round to cents."""

CEILING, PREFERRED_NOW = "price ceiling told", "preferred $100"
TOLERANCES = {"total_profit": 50 * ROUNDING, CEILING: 0.0151}
"""Tolerance of sums, which add the rounding of up to fifty products, and of ceilings, which come from an optimiser."""

SAME_GAME = 0.05
"""Relative tolerance of results on the same instance: prices are logged to cents, and sales depend on the rest."""

TOLD = 5


@dataclass(frozen=True)
class Replay:
    """outcomes and score are ours. recorded_score is our score of the log's results; None if it has none.
    differences: a sentence for each kind of result that differs. facts: those of the log and of its replay"""

    instance: Instance
    outcomes: list[Outcome]
    is_whole: bool
    score: Score
    metrics: dict[str, Any] | None
    recorded_score: float | None
    differences: list[str]
    facts: dict[str, str]


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
    differences, evidence, unplayable = _Differences(), _Evidence(log), _Unplayable()
    claimed = []
    for step in log.steps:
        if environment.finished:
            raise Refused(f"{step.place} comes after the run had ended.")
        ceiling = ceiling_in(environment.initial_prompt())
        outcome = environment.step(unplayable.parsed(environment, step))
        differences.look(outcome, outcome.result | {CEILING: ceiling}, step.recorded | {CEILING: step.ceiling})
        evidence.weigh(outcome, step)
        claimed.append(replace(outcome, result=outcome.result | step.recorded))
    evidence.judge()
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
        facts=facts_of(log) | unplayable.facts(len(log.steps)),
    )


def _claimed_score(environment: Environment, claimed: list[Outcome], log: Log) -> float | None:
    if not any(step.recorded for step in log.steps):
        return None
    try:
        value = environment.score(environment.instance, claimed, log.game.periods, log.game.variant).value
    except (ArithmeticError, KeyError, TypeError, ValueError, AttributeError):
        return None
    return value if value is not None and math.isfinite(value) else None


def told(differences: list[str], facts: dict[str, str]) -> list[str]:
    """Sentences about a log that are worth reading."""
    return [*differences, *(f"{label}: {text}." for label, text in facts.items())]


class _Differences:
    """For each kind of result: the number of periods that differ, and the first."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[int, int, Any, Any]] = {}

    def look(self, outcome: Outcome, ours: dict[str, Any], recorded: Mapping[str, Any]) -> None:
        """Compare the results that both sides have: a preview lacks those that need a reference."""
        if PREFERRED_NOW in recorded:
            ours = {PREFERRED_NOW: outcome.action["now"]}
        for name, theirs in recorded.items():
            known = theirs is not None and ours.get(name) is not None
            if known and not _agree(ours[name], theirs, TOLERANCES.get(name, ROUNDING)):
                count, first, *kept = self.found.get(name, (0, outcome.period, theirs, ours[name]))
                self.found[name] = (count + 1, first, *kept)

    def sentences(self, periods: int) -> list[str]:
        return [
            f"{name.replace('_', ' ').capitalize()}: the log differs in {count} of {periods} periods, first in period "
            f"{first}: {_shown(theirs)} recorded, {_shown(ours)} here."
            for name, (count, first, theirs, ours) in list(self.found.items())[:TOLD]
        ]


class _Evidence:
    """Whether the log was played on the instance of its parameters, by its format's evidence.

    Zero results do not count: if little is sold, every instance gives the same.
    """

    def __init__(self, log: Log) -> None:
        self.log = log
        self.against: list[str] = []
        self.weighed = 0

    def weigh(self, outcome: Outcome, step: Step) -> None:
        theirs = step.recorded.get(self.log.evidence)
        if theirs is None or not (_is_something(theirs) or _is_something(outcome.result[self.log.evidence])):
            return
        self.weighed += 1
        if not _agree(outcome.result[self.log.evidence], theirs, 2 * ROUNDING, SAME_GAME):
            self.against.append(step.place)

    def judge(self) -> None:
        """Raises Refused."""
        if 2 * len(self.against) > self.weighed:
            instance = self.log.game.instance
            raise Refused(
                f"{self.log.folder} does not fit its parameters: in {len(self.against)} of {len(self.log.steps)} periods, "
                f"first at {self.against[0].rpartition(':')[0]}, its actions come to something else on seed {instance.seed} "
                f"of {instance.environment} {instance.difficulty}. Its two tables come from different runs, or its results "
                "were changed."
            )


def _is_something(result: Any) -> bool:
    return any(result.values()) if isinstance(result, Mapping) else bool(result)


class _Unplayable:
    """Actions that the published code accepted and we do not. They keep its results."""

    def __init__(self) -> None:
        self.why: dict[int, str] = {}

    def parsed(self, environment: Environment, step: Step) -> dict[str, Any]:
        """Raises Refused."""
        try:
            return environment.parse_joint(step.action)
        except ToolError as error:
            try:
                action = environment.parse_logged(step.action)
            except ToolError:
                raise Refused(f"{step.place} is no action of this game: {error}") from None
            self.why[environment.period] = str(error)
            return action

    def facts(self, periods: int) -> dict[str, str]:
        if not self.why:
            return {}
        named = ", ".join(map(str, list(self.why)[:TOLD])) + (", …" if len(self.why) > TOLD else "")
        return {
            "Not playable here": f"{len(self.why)} of {periods} periods ({named}), counted as the published code counted "
            f"them. The first: {storable(next(iter(self.why.values()))).rstrip('.')}"
        }


def _agree(ours: Any, theirs: Any, tolerance: float, relative: float = RELATIVE) -> bool:
    if isinstance(ours, Mapping):
        return (
            isinstance(theirs, Mapping)
            and ours.keys() == theirs.keys()
            and all(_agree(value, theirs[key], tolerance, relative) for key, value in ours.items())
        )
    if isinstance(ours, list):
        return (
            isinstance(theirs, list)
            and len(ours) == len(theirs)
            and all(_agree(a, b, tolerance, relative) for a, b in zip(ours, theirs, strict=True))
        )
    if isinstance(ours, bool) or isinstance(theirs, bool) or not isinstance(ours, int | float):
        return bool(ours == theirs)
    return isinstance(theirs, int | float) and math.isclose(ours, theirs, rel_tol=relative, abs_tol=tolerance)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e15 else "a huge number"
    if isinstance(value, list | dict):
        return f"{len(value)} values" if len(str(value)) > 60 else ascii(value)
    return storable(str(value))[:60]
