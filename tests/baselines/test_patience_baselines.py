"""Agents with an interest rate, measured by the survey they answer from its text alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.baselines.litmus.patience_rate import PatienceRate, patience_rate
from agents.baselines.random_actions import Random
from agents.episode import play_baseline
from environments.base import Environment, Instance
from environments.patience import GENERATION, Patience


def played(agent: Callable[..., Any], seed: int = 0, generator: str = "published", **options: Any) -> Environment:
    return play_baseline(agent, standard(seed, generator), Patience, **options)


def standard(seed: int = 0, generator: str = "published") -> Instance:
    return GENERATION.instance("patience_vs_impatience", "STANDARD", seed, generator)


def metrics(run: Environment) -> dict[str, Any]:
    assert run.finished
    return run.metrics(run.instance, run.outcomes)


@pytest.mark.parametrize("generator", ["published", "paper_text"])
@pytest.mark.parametrize("rate", [0.02, 0.05, 0.1, 0.18])
def test_an_agent_with_a_rate_is_measured_within_a_tenth_of_a_point(rate: float, generator: str) -> None:
    """Reliability stays below 1 because choices are known at the tested amounts only, and rise in a line between them."""
    found = metrics(played(patience_rate(rate), generator=generator))
    assert found["litmus_rate"] == pytest.approx(rate, abs=0.001 + 1e-9) and found["invalid"] == 0
    assert 0.97 < found["reliability"] < 1


def test_the_default_rate_is_5_percent_without_noise() -> None:
    assert played(PatienceRate).outcomes == played(patience_rate(0.05)).outcomes


def test_noise_keeps_the_rate_and_costs_reliability() -> None:
    quiet, noisy = metrics(played(PatienceRate)), metrics(played(patience_rate(0.05, noise=0.4)))
    assert noisy["litmus_rate"] == pytest.approx(quiet["litmus_rate"], abs=0.006)
    # Of the answers that a coin decides, half go wrong.
    assert noisy["reliability"] == pytest.approx(quiet["reliability"] - 0.2, abs=0.02)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_coin_has_a_reliability_of_about_one_half(seed: int) -> None:
    assert metrics(played(Random, seed))["reliability"] == pytest.approx(0.5, abs=0.03)


def test_an_agent_that_follows_the_rate_in_the_prompt_is_perfectly_competent() -> None:
    for rate in (0.05, 0.5):
        run = played(patience_rate(rate), variant="interest_rate")
        assert metrics(run)["competency"] == run.score(run.instance, run.outcomes).value == 1.0
    assert metrics(played(Random, variant="interest_rate"))["competency"] == pytest.approx(0.5, abs=0.1)


def test_an_agent_that_always_gives_one_letter_is_half_competent_and_half_reliable() -> None:
    class AlwaysA(Random):
        def answer(self, prompt: str, rng: Any) -> str:
            return "<answer>A</answer>"

    assert metrics(played(AlwaysA, variant="interest_rate"))["competency"] == pytest.approx(0.5, abs=0.01)
    assert metrics(played(AlwaysA))["reliability"] == pytest.approx(0.5, abs=1e-9)


def test_every_name_gets_the_agents_rate() -> None:
    by_name = metrics(played(patience_rate(0.1), variant="user_name"))["by_name"]
    assert len(by_name) == 36 and {found["rate"] for found in by_name.values()} == {by_name["Emily"]["rate"]}


def test_seeds_answer_differently_and_each_the_same_again() -> None:
    once, again, other = (played(Random, seed, periods=20) for seed in (4, 4, 5))
    assert once.outcomes == again.outcomes != other.outcomes
