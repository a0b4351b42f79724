"""Replays the actions of a Log and compares the results with the logged ones."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from agents.tools import storable
from environments.base import Environment, Instance, Outcome, ToolError
from environments.declarations import Score
from environments.registry import GENERATION
from games.logs.cells import LogRefused
from games.logs.format import Step, agree
from workspace.transfer.reading.chats import ceiling_in
from workspace.transfer.reading.logs import Log
from workspace.transfer.reading.sources import refuse_if

ROUNDING, RELATIVE = 0.0051, 1e-6
"""Tolerance of recorded numbers: the logs round to cents."""

CEILING, PREFERRED_NOW = "price ceiling told", "preferred $100"
TOLERANCES = {"total_profit": 50 * ROUNDING, CEILING: 0.0151}
"""Tolerance of sums, which add the rounding of up to fifty products, and of ceilings, which come from an optimiser."""

SAME_GAME = 0.05
"""Relative tolerance of results on the same instance. Prices are logged to cents, but sales depend on the lost digits."""

MOST_LISTED = 5


@dataclass(frozen=True)
class Replay:
    """The result of a replay. outcomes and score come from our code.

    recorded_score: the score that our code gives the log's results; None if it has none
    differences: a sentence for each kind of result that differs
    facts: facts of the log and of its replay
    """

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


def replay(log: Log, instance: Instance) -> Replay:
    """Replay the log's actions on its instance, given with the reference. Raises LogRefused."""
    environment = log.game.environment(instance)
    differing: list[tuple[str, int, Any, Any]] = []
    unplayable: dict[int, str] = {}
    claimed: list[Outcome] = []
    evidence: dict[str, bool] = {}
    for step in log.steps:
        refuse_if(environment.finished, f"{step.location} comes after the run had ended.")
        ceiling = ceiling_in(environment.initial_prompt())
        action, why = _parsed(environment, step)
        if why:
            unplayable[environment.period] = why
        outcome = environment.step(action)
        differing += _differing(outcome, step, ceiling)
        if (agrees := _agrees(log.evidence, outcome, step)) is not None:
            evidence[step.location] = agrees
        claimed.append(replace(outcome, result=outcome.result | step.recorded))
    against = [location for location, agrees in evidence.items() if not agrees]
    if 2 * len(against) > len(evidence):
        raise LogRefused(
            f"{log.folder} does not fit its parameters: in {len(against)} of {len(log.steps)} periods, first at "
            f"{against[0].rpartition(':')[0]}, its actions come to something else on seed {instance.seed} of "
            f"{instance.environment} {instance.difficulty}. Its two tables come from different runs, or its results were "
            "changed."
        )
    whole, outcomes, periods = environment.finished, environment.outcomes, log.game.periods
    score = environment.score(instance, outcomes, periods, log.game.variant)
    return Replay(
        instance=instance,
        outcomes=outcomes,
        is_whole=whole,
        score=score if whole else Score(None),
        metrics=environment.metrics(instance, outcomes, periods) if whole else None,
        recorded_score=_claimed_score(environment, claimed, log) if whole else None,
        differences=_sentences(differing, len(log.steps)),
        facts=log.facts | _not_playable(unplayable, len(log.steps)),
    )


def _claimed_score(environment: Environment, claimed: list[Outcome], log: Log) -> float | None:
    if not any(step.recorded for step in log.steps):
        return None
    try:
        value = environment.score(environment.instance, claimed, log.game.periods, log.game.variant).value
    except (ArithmeticError, KeyError, TypeError, ValueError, AttributeError):
        return None
    return value if value is not None and math.isfinite(value) else None


def notable_sentences(differences: list[str], facts: dict[str, str]) -> list[str]:
    """The sentences about a log that are worth showing."""
    return [*differences, *(f"{label}: {text}." for label, text in facts.items())]


def _differing(outcome: Outcome, step: Step, ceiling: float | None) -> Iterator[tuple[str, int, Any, Any]]:
    """(name, period, recorded value, own value) of the results that differ.

    A preview leaves out results that need a reference.
    """
    recorded, ours = step.recorded | {CEILING: step.ceiling}, outcome.result | {CEILING: ceiling}
    if PREFERRED_NOW in recorded:
        ours = {PREFERRED_NOW: outcome.action["now"]}
    for name, theirs in recorded.items():
        are_both_known = theirs is not None and ours.get(name) is not None
        if are_both_known and not agree(ours[name], theirs, TOLERANCES.get(name, ROUNDING), RELATIVE):
            yield name, outcome.period, theirs, ours[name]


def _sentences(differing: list[tuple[str, int, Any, Any]], periods: int) -> list[str]:
    """A sentence for each kind of result that differs, with the number of periods and the first of them."""
    counts = Counter(name for name, *_ in differing)
    firsts = {name: values for name, *values in reversed(differing)}
    return [
        f"{name.replace('_', ' ').capitalize()}: the log differs in {count} of {periods} periods, first in period "
        f"{firsts[name][0]}: {_value_text(firsts[name][1])} recorded, {_value_text(firsts[name][2])} here."
        for name, count in list(counts.items())[:MOST_LISTED]
    ]


def _agrees(evidence: str, outcome: Outcome, step: Step) -> bool | None:
    """Whether the logged result matches this instance; None if the period proves nothing.

    Zero results prove nothing, since every instance gives zero if little is sold.
    """
    theirs, ours = step.recorded.get(evidence), outcome.result.get(evidence)
    shows = any(any(result.values()) if isinstance(result, Mapping) else bool(result) for result in (theirs, ours))
    return agree(ours, theirs, 2 * ROUNDING, SAME_GAME) if theirs is not None and shows else None


def _parsed(environment: Environment, step: Step) -> tuple[dict[str, Any], str]:
    """(action, error). The error says why only the published code accepts the action; it is empty for valid actions.

    Actions with an error keep their logged results. Raises LogRefused.
    """
    try:
        return environment.parse_joint(step.action), ""
    except ToolError as error:
        try:
            return environment.parse_logged(step.action), str(error)
        except ToolError:
            raise LogRefused(f"{step.location} is not an action of this game: {error}") from None


def _not_playable(why: dict[int, str], periods: int) -> dict[str, str]:
    if not why:
        return {}
    listed_periods = ", ".join(map(str, list(why)[:MOST_LISTED])) + (", …" if len(why) > MOST_LISTED else "")
    return {
        "Not playable here": f"{len(why)} of {periods} periods ({listed_periods}), counted as the published code "
        f"counted them. The first: {storable(next(iter(why.values()))).rstrip('.')}"
    }


def _value_text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e15 else "a huge number"
    if isinstance(value, list | dict):
        return f"{len(value)} values" if len(str(value)) > 60 else ascii(value)
    return storable(str(value))[:60]
