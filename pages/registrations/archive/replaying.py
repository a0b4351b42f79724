"""Play the runs of an archive again, from their actions alone. Pure, without a database."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from environments.base import Environment, Instance, InvalidSettings, ToolError
from environments.generation import CUSTOM, base_of
from environments.json_text import read_json
from environments.prompts.variants import base_variant
from environments.registry import ATTEMPTS, ENVIRONMENTS, generate, is_final, variant_of
from pages.registrations.evidence.records import EvidenceRun
from runs.models.instances import UNDRAWN

TOLERANCE = 1e-9
"""The largest difference of two scores, or relative difference of two results, that counts as rounding."""

ATTEMPTS_HERE = 2
"""Further attempts at an optimum that needs a proof."""


@dataclass(frozen=True)
class Replay:
    """A run that was played again. score: computed here, None without one; problem: what differs, empty if nothing does"""

    score: float | None
    problem: str = ""


def replay(run: EvidenceRun, periods: Iterable[Mapping[str, Any]]) -> Replay:
    """Play the actions of a finished run on its instance, and compare instance, results and score with the archive."""
    try:
        problem = _drawn(run)
        game = _game(run, problem)
    except (InvalidSettings, KeyError, TypeError, ValueError) as error:
        return Replay(None, f"its instance or game cannot be made: {str(error)[:200]}")
    if not run.content_hash.startswith(UNDRAWN) and problem.content_hash != run.content_hash:
        return Replay(None, "its instance has another content")
    for period in periods:
        if sentence := _played(game, period):
            return Replay(None, sentence)
    if not game.finished or game.period != run.periods_played:
        return Replay(None, f"{game.period} of its {run.periods_played} periods are in the archive")
    if not is_final(run.environment, problem.reference):
        return Replay(None, "its optimum could not be proven here, so its score is not checked")
    score = game.score(problem, game.outcomes, run.periods, run.variant).value
    if score is None or run.score is None or not math.isclose(score, run.score, rel_tol=0, abs_tol=TOLERANCE):
        return Replay(score, f"its score is {score} here and {run.score} in the archive")
    return Replay(score)


def _drawn(run: EvidenceRun) -> Instance:
    of_variant = variant_of(run.environment, run.variant).settings
    settings = {name: value for name, value in run.settings.items() if name not in of_variant}
    # Variants without settings share instances.
    variant = run.variant if of_variant else "main"
    return _instance(run.environment, run.difficulty, run.seed, run.generator, variant, json.dumps(settings))


# Cached, because agents and variants share instances, and an optimum may take seconds.
@lru_cache(maxsize=512)
def _instance(environment: str, difficulty: str, seed: int, generator: str, variant: str, settings: str) -> Instance:
    custom = read_json(settings, lenient=True) if base_of(difficulty) == CUSTOM else None
    problem = generate(environment, difficulty, seed, generator, variant=variant, settings=custom)
    attempts = ATTEMPTS.get(environment)
    for seconds in attempts.seconds[:ATTEMPTS_HERE] if attempts else ():
        if is_final(environment, problem.reference):
            break
        problem.reference.update(attempts.solve(problem, seconds) if attempts else {})
    return problem


def _game(run: EvidenceRun, problem: Instance) -> Environment:
    environment = ENVIRONMENTS[run.environment]
    if base_variant(run.variant) not in environment.variants:
        raise ValueError(f"there is no variant {run.variant[:60]}")
    return environment(problem, variant=run.variant, reasoning=run.reasoning, periods=run.periods)


def _played(game: Environment, period: Mapping[str, Any]) -> str:
    """Play one period. Returns what is wrong with it, empty if nothing is."""
    at = f"period {game.period + 1}"
    if game.finished:
        return f"{at} comes after the end of the run"
    if period.get("period") != game.period:
        return f"{at} is missing"
    try:
        outcome = game.step(game.parse_joint(period.get("action")))
    except ToolError as error:
        return f"the action of {at} is invalid: {error}"
    # Compared as JSON, in which keys are texts and tuples are lists.
    result = read_json(json.dumps(outcome.result), lenient=True)
    return "" if is_same(result, period.get("outcome")) else f"the result of {at} differs"


def is_same(first: Any, second: Any) -> bool:
    """Whether two JSON values are equal up to the rounding of numbers. A result that was not known yet is equal to any."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(is_same(first[name], second[name]) for name in first)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(is_same, first, second))
    if isinstance(first, float) and isinstance(second, float | int) and not isinstance(second, bool):
        return math.isclose(first, second, rel_tol=TOLERANCE, abs_tol=TOLERANCE) or first != first
    return second is None or bool(first == second)
