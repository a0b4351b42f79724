"""Draws of the scheduling generators (paper, appendix G.2.1), and the feedback drawn during a run."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from environments.base import Instance
from environments.declarations import Setting
from environments.generation import Generation, Settings, kind_of, streams
from environments.scheduling.economics import Preferences
from environments.shocks import PERIOD, is_after, period_of, stream_of

GAP = 3.0
"""Ratio of the highest to the lowest public score in correlated preferences."""

KINDS = (("uniform", "uniform"), ("correlated", "correlated"), ("correlated", "identical"), ("uniform", "identical"))
"""Types of preferences of workers and tasks, selected by (seed mod 12) // 3, or in sealed instances by a draw."""

EXPECTED, EXPECTED_AFTER = "expected_blocking_pairs", "expected_blocking_pairs_after"

Lists = dict[str, list[str]]


def published_draws(size: int, seed: int, generator: str) -> tuple[Lists, Lists, np.random.RandomState]:
    """Draw the preferences of both sides; return them and the stream for the feedback of a run.

    The stream for the feedback is the one from which the preferences were drawn; sealed instances have a separate stream.
    """
    rs, feedback = streams(seed, generator, "preferences", "feedback")
    return *_both_sides(size, kind_of(seed, generator, 12), partial(_published_side, rs)), feedback


def _both_sides(size: int, kind: int, drawn: Callable[[list[str], list[str], str], Lists]) -> tuple[Lists, Lists]:
    """Draw the preference lists of the workers first, then those of the tasks. `kind` is 0 to 11."""
    workers, tasks = ([f"{letter}{i + 1}" for i in range(size)] for letter in "WT")
    worker_kind, task_kind = KINDS[kind // 3]
    return drawn(workers, tasks, worker_kind), drawn(tasks, workers, task_kind)


def _published_side(rs: np.random.RandomState, rankers: list[str], ids: list[str], kind: str) -> Lists:
    if kind == "identical":
        shared = list(ids)
        rs.shuffle(shared)
        return {ranker: list(shared) for ranker in rankers}
    gap = GAP if kind == "correlated" else 1.0
    scores = [gap ** (i / (len(ids) - 1)) for i in range(len(ids))]
    rs.shuffle(scores)
    return {ranker: [ids[i] for i in np.argsort(-rs.exponential(scale=scores), kind="stable")] for ranker in rankers}


def _text_side(rng: np.random.Generator, rankers: list[str], ids: list[str], kind: str) -> Lists:
    if kind == "identical":
        shared = [str(id_) for id_ in rng.permutation(ids)]
        return {ranker: list(shared) for ranker in rankers}
    rates = rng.uniform(1, GAP, len(ids)) if kind == "correlated" else np.ones(len(ids))
    return {ranker: [ids[i] for i in np.argsort(rng.exponential(1 / rates), kind="stable")] for ranker in rankers}


def _build(settings: Settings, seed: int, generator: str) -> tuple[dict[str, Any], dict[str, Any]]:
    size = settings["size"]
    if generator == "paper_text":
        side = partial(_text_side, np.random.default_rng(seed))
        workers, tasks = _both_sides(size, kind_of(seed, generator, 12), side)
    else:
        workers, tasks, _ = published_draws(size, seed, generator)
    parameters = {"workers": list(workers), "tasks": list(tasks), "feedback_pairs": settings["feedback_pairs"]}
    hidden: dict[str, Any] = {"worker_preferences": workers, "task_preferences": tasks}
    if "shock_workers" in settings:
        draft = Instance("scheduling", "", seed, generator, settings, parameters, hidden)
        hidden["shock"] = {"worker_preferences": _redrawn(draft, settings["shock_workers"])}
    return parameters, hidden


MOST_REDRAWS = 100


def _redrawn(instance: Instance, number: int) -> Lists:
    """The new lists of random workers, as uniformly random orders of all tasks.

    They are drawn again, at most MOST_REDRAWS times, until the stable matching of before that is best for workers is
    no longer stable, so that the shock is felt.
    """
    rs = stream_of(instance.seed, instance.generator)
    workers, tasks = instance.parameters["workers"], instance.parameters["tasks"]
    before = Preferences.of(instance).stable_matching()
    for _ in range(MOST_REDRAWS):
        picked = rs.choice(len(workers), min(number, len(workers)), replace=False)
        lists = {workers[int(index)]: [str(task) for task in rs.permutation(tasks)] for index in sorted(picked)}
        shocked = replace(instance, hidden=instance.hidden | {"shock": {"worker_preferences": lists}})
        if Preferences.of(shocked, PERIOD).blocking_pairs(before):
            break
    return lists


def _reference(instance: Instance) -> dict[str, Any]:
    """The expected number of blocking pairs of a random matching, before and after a shock."""
    shock = period_of(instance)
    reference = {EXPECTED: Preferences.of(instance).expected_blocking_pairs()}
    if shock is not None:
        reference[EXPECTED_AFTER] = Preferences.of(instance, shock).expected_blocking_pairs()
    return reference


def expected_at(instance: Instance, period: int) -> float:
    """The expected number of blocking pairs of a random matching in a period."""
    return float(instance.reference[EXPECTED_AFTER if is_after(instance, period) else EXPECTED])


GENERATION = Generation(
    difficulties={
        "BASIC": {"size": 10, "feedback_pairs": 1},
        "MEDIUM": {"size": 20, "feedback_pairs": 2},
        "HARD": {"size": 50, "feedback_pairs": 5},
    },
    settings=(
        Setting("size", "Workers", 2, 200, help="number of workers, equal to the number of tasks"),
        Setting("feedback_pairs", "Blocking pairs shown", 1, 50, help="maximum number of pairs per period"),
    ),
    build=_build,
    reference=_reference,
    measured_up_to={"size": 100},
)
