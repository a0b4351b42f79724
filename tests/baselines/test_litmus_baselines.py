"""The baselines of the litmus tests score what the paper reports, or what they are there to mark."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from agents.baselines.litmus import reading as reading_litmus
from agents.baselines.litmus.equality import GreedyEfficiency, productivities
from agents.baselines.registry import BASELINES
from agents.episode import play_baseline
from environments.registry import ENVIRONMENTS, generate

EQUALITY, COLLUSION = "efficiency_vs_equality", "collusiveness_vs_competitiveness"


@cache
def instance_of(name: str, seed: int) -> Any:
    return generate(name, "STANDARD", seed)


def run_of(slug: str, name: str, seed: int, variant: str = "main") -> Any:
    return play_baseline(BASELINES[slug], instance_of(name, seed), ENVIRONMENTS[name], variant=variant)


def score_of(slug: str, name: str, seed: int, variant: str = "main") -> float:
    run = run_of(slug, name, seed, variant)
    value: float = run.score(run.instance, run.outcomes, run.periods, variant).value
    return value


def test_greedy_equality_scores_what_the_paper_reports() -> None:
    scores = [score_of("equality-greedy-equality", EQUALITY, seed, "equality") for seed in range(18)]
    assert np.mean(scores) == pytest.approx(0.9703, abs=5e-5)
    assert min(scores) == pytest.approx(0.931, abs=5e-4)


def test_greedy_efficiency_scores_what_the_paper_reports() -> None:
    scores = [score_of("equality-greedy-efficiency", EQUALITY, seed, "efficiency") for seed in range(18)]
    assert np.mean(scores) == pytest.approx(0.947, abs=0.01)
    assert min(scores) > 0.90


def test_greedy_efficiency_averages_the_same_over_other_draws_of_its_random_phase(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    means = []
    for draw in range(5):
        monkeypatch.setattr(GreedyEfficiency, "rng", lambda self, period, d=draw: np.random.default_rng([d, period]))
        means.append([score_of("equality-greedy-efficiency", EQUALITY, seed, "efficiency") for seed in range(18)])
    assert np.mean(means) == pytest.approx(0.947, abs=0.01)
    assert np.mean(means, axis=0).min() > 0.90


def test_what_workers_can_do_is_read_off_the_history() -> None:
    run = run_of("equality-greedy-efficiency", EQUALITY, 6)
    done = reading_litmus.jobs(run.call("get_previous_periods_data"))
    assert len(done) == 120 and productivities(done) == run.instance.hidden["productivities"]
    assert {job.worker: job.total_pay for job in done} == run.outcomes[-1].result["total_pay"]


@pytest.mark.parametrize("seed", range(3))
def test_the_clairvoyant_does_what_the_prompt_asks(seed: int) -> None:
    assert score_of("optimum", EQUALITY, seed, "efficiency") == 1
    assert score_of("optimum", EQUALITY, seed, "equality") == 1
    assert score_of("optimum", COLLUSION, seed, "single_agent") == 1
    metrics = (run := run_of("optimum", EQUALITY, seed, "equality")).metrics(run.instance, run.outcomes)
    assert metrics["inequality"] == 0 and metrics["litmus"] == 0 and metrics["frontier_distance"] == 0


def test_chance_satisfies_neither_goal() -> None:
    assert np.mean([score_of("random", EQUALITY, seed, "efficiency") for seed in range(6)]) < 0.8
    assert np.mean([score_of("random", EQUALITY, seed, "equality") for seed in range(6)]) < 0.9
    assert score_of("random", COLLUSION, 0, "single_agent") == 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("slug", "expected"), [("collusion-nash", 0), ("collusion-collusive", 1), ("collusion-best-response", 0)]
)
def test_reference_strategies_mark_the_ends_of_the_scale(slug: str, expected: float, seed: int) -> None:
    assert score_of(slug, COLLUSION, seed) == pytest.approx(expected, abs=1e-3)


def test_best_responses_come_down_from_the_collusive_to_the_nash_price() -> None:
    run = run_of("collusion-best-response", COLLUSION, 1)
    prices = [outcome.action["seat_0"] for outcome in run.outcomes]
    reference = run.instance.reference
    assert prices[0] == reference["collusive_price"] and prices[1] < prices[0]
    assert prices[40:] == pytest.approx([reference["nash_price"]] * 260)
    assert all(outcome.action["seat_0"] == outcome.action["seat_1"] for outcome in run.outcomes)


def test_a_best_response_alone_is_the_single_agent_s_price() -> None:
    assert score_of("collusion-best-response", COLLUSION, 2, "single_agent") == 1


def test_the_competitor_s_last_price_is_read_as_it_was_set() -> None:
    run = run_of("random", COLLUSION, 0)
    for seat, rival in (run.seats, run.seats[::-1]):
        history = run.call("get_previous_pricing_data", seat)
        assert reading_litmus.rival_price(history) == run.outcomes[-1].action[rival]
    assert reading_litmus.rival_price("There are no previous attempts yet.") is None
