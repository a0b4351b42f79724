"""Blocking pairs, their expectation and stable matchings; and how feedback is drawn."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.registry import generate
from environments.scheduling.economics import Preferences
from environments.scheduling.environment import Scheduling, quality
from tests.environments.cast import game


@st.composite
def preferences(draw: st.DrawFn, most: int = 6) -> Preferences:
    n = draw(st.integers(2, most))
    rows = [draw(st.permutations(range(n))) for _ in range(2 * n)]
    return Preferences(np.array(rows[:n], dtype=np.intp), np.array(rows[n:], dtype=np.intp))


def blocking_by_definition(market: Preferences, task_of: np.ndarray) -> list[tuple[int, int]]:
    worker_of = {int(task): worker for worker, task in enumerate(task_of)}
    return [
        (w, t)
        for w in range(market.size)
        for t in range(market.size)
        if market.worker_rank[w, t] < market.worker_rank[w, task_of[w]]
        and market.task_rank[t, w] < market.task_rank[t, worker_of[t]]
    ]


@settings(max_examples=25, deadline=None)
@given(market=preferences())
def test_the_expected_number_of_blocking_pairs_is_the_mean_over_all_matchings(market: Preferences) -> None:
    counts = [len(market.blocking_pairs(np.array(matching))) for matching in permutations(range(market.size))]
    assert market.expected_blocking_pairs() == pytest.approx(np.mean(counts), rel=1e-12)


@settings(max_examples=100, deadline=None)
@given(market=preferences(8), data=st.data())
def test_blocking_pairs_are_those_of_the_definition_in_order(market: Preferences, data: st.DataObject) -> None:
    task_of = np.array(data.draw(st.permutations(range(market.size))))
    assert market.blocking_pairs(task_of) == blocking_by_definition(market, task_of)


@settings(max_examples=100, deadline=None)
@given(market=preferences(12))
def test_deferred_acceptance_ends_in_a_matching_without_blocking_pairs(market: Preferences) -> None:
    task_of = market.stable_matching()
    assert sorted(task_of.tolist()) == list(range(market.size))
    assert market.blocking_pairs(task_of) == []


@settings(max_examples=20, deadline=None)
@given(market=preferences(5))
def test_no_worker_does_better_in_another_stable_matching(market: Preferences) -> None:
    best = market.stable_matching()
    for matching in permutations(range(market.size)):
        if not market.blocking_pairs(np.array(matching)):
            workers = range(market.size)
            assert all(market.worker_rank[w, best[w]] <= market.worker_rank[w, matching[w]] for w in workers)


@pytest.mark.parametrize("seed", [6, 9])
def test_where_tasks_agree_a_quarter_of_the_pairs_blocks_on_average(seed: int) -> None:
    for difficulty, n in (("BASIC", 10), ("MEDIUM", 20), ("HARD", 50)):
        expected = generate("scheduling", difficulty, seed).reference["expected_blocking_pairs"]
        assert expected == pytest.approx(n * (n - 1) / 4)


def test_scores_may_be_negative_and_a_stable_matching_scores_one() -> None:
    assert quality(30, 20.0) == -0.5
    assert quality(0, 20.0) == 1.0
    assert quality(0, 0.0) == 1.0


def test_a_stable_matching_ends_the_run() -> None:
    environment = game("scheduling", "BASIC")
    task_of = Preferences.of(environment.instance).stable_matching()
    parameters = environment.instance.parameters
    action = {worker: parameters["tasks"][t] for worker, t in zip(parameters["workers"], task_of, strict=True)}
    outcome = environment.step(environment.parse_action(action))
    assert outcome.ended and environment.finished and outcome.result["feedback"] == []
    score = environment.score(environment.instance, environment.outcomes)
    assert (score.value, score.solved) == (1.0, True)


@pytest.mark.parametrize("generator", ["published", "paper_text"])
def test_a_matching_proposed_before_gets_the_same_feedback_as_before(generator: str) -> None:
    environment = game("scheduling", "HARD", generator)
    rng = np.random.default_rng(0)
    parameters = environment.instance.parameters
    actions = [
        dict(zip(parameters["workers"], rng.permutation(parameters["tasks"]).tolist(), strict=True)) for _ in range(3)
    ]
    first = [environment.step(action).result["feedback"] for action in actions]
    again = [environment.step(action).result["feedback"] for action in actions[::-1]]
    assert again == first[::-1]
    assert all(len(shown) == 5 for shown in first)


def test_where_few_pairs_block_all_are_shown() -> None:
    environment = game("scheduling")
    assert isinstance(environment, Scheduling)
    rng = np.random.default_rng(3)
    for _ in range(40):
        tasks = rng.permutation(environment.tasks).tolist()
        result = environment.step(dict(zip(environment.workers, tasks, strict=True))).result
        assert len(result["feedback"]) == min(2, result["blocking_pairs"])
        assert all(pair in result["pairs"] for pair in result["feedback"])
