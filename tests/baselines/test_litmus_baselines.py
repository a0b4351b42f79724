"""The litmus baselines score what the paper reports, or mark the ends of a scale."""

import numpy as np
import pytest

from agents.baselines import reading
from agents.baselines.litmus.equality import GreedyEfficiency, productivities
from agents.baselines.litmus.patience_rate import PatienceRate, patience_rate
from agents.baselines.random_actions import Random
from agents.baselines.registry import BASELINES
from agents.episode import play_baseline
from environments.patience import Patience
from environments.registry import ENVIRONMENTS
from tests.environments.cast import GENERATORS, instance_of

EQUALITY, COLLUSION = "efficiency_vs_equality", "collusiveness_vs_competitiveness"


def run_of(slug, name, seed, variant="main"):
    instance = instance_of(name, "STANDARD", "published", seed)
    return play_baseline(BASELINES[slug], instance, ENVIRONMENTS[name], variant=variant)


def score_of(slug, name, seed, variant="main"):
    run = run_of(slug, name, seed, variant)
    return run.score(run.instance, run.outcomes, run.periods, variant).value


@pytest.mark.long
def test_greedy_equality_scores_what_the_paper_reports():
    scores = [score_of("equality-greedy-equality", EQUALITY, seed, "equality") for seed in range(18)]
    assert np.mean(scores) == pytest.approx(0.9703, abs=5e-5)
    assert min(scores) == pytest.approx(0.931, abs=5e-4)


@pytest.mark.sampled
@pytest.mark.parametrize("draw", [None, 0, 1])
def test_greedy_efficiency_scores_what_the_paper_reports_for_every_random_phase(draw, monkeypatch):
    if draw is not None:
        monkeypatch.setattr(GreedyEfficiency, "rng", lambda self, period: np.random.default_rng([draw, period]))
    scores = [score_of("equality-greedy-efficiency", EQUALITY, seed, "efficiency") for seed in range(18)]
    assert np.mean(scores) == pytest.approx(0.947, abs=0.01)
    assert min(scores) > 0.90


def test_productivities_are_read_from_the_history():
    run = run_of("equality-greedy-efficiency", EQUALITY, 6)
    done = reading.jobs(run.call("get_previous_periods_data"))
    assert len(done) == 120 and productivities(done) == run.instance.hidden["productivities"]
    assert {job.worker: job.total_pay for job in done} == run.outcomes[-1].result["total_pay"]


@pytest.mark.parametrize("seed", range(3))
def test_the_clairvoyant_baseline_meets_the_goal_of_each_prompt(seed):
    assert score_of("optimum", EQUALITY, seed, "efficiency") == 1
    assert score_of("optimum", EQUALITY, seed, "equality") == 1
    assert score_of("optimum", COLLUSION, seed, "single_agent") == 1
    metrics = (run := run_of("optimum", EQUALITY, seed, "equality")).metrics(run.instance, run.outcomes)
    assert metrics["inequality"] == 0 and metrics["litmus"] == 0 and metrics["frontier_distance"] == 0


def test_random_allocations_satisfy_neither_goal():
    for goal, below in (("efficiency", 0.8), ("equality", 0.9)):
        assert np.mean([score_of("random", EQUALITY, seed, goal) for seed in range(6)]) < below
    assert score_of("random", COLLUSION, 0, "single_agent") == 0


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("slug", "expected"), [("collusion-nash", 0), ("collusion-collusive", 1), ("collusion-best-response", 0)]
)
def test_reference_strategies_mark_the_ends_of_the_scale(slug, expected, seed):
    assert score_of(slug, COLLUSION, seed) == pytest.approx(expected, abs=1e-3)


@pytest.mark.long
def test_best_responses_fall_from_the_collusive_to_the_nash_price():
    run = run_of("collusion-best-response", COLLUSION, 1)
    prices = [outcome.action["seat_0"] for outcome in run.outcomes]
    reference = run.instance.reference
    assert prices[0] == reference["collusive_price"] and prices[1] < prices[0]
    assert prices[40:] == pytest.approx([reference["nash_price"]] * 260)
    assert all(outcome.action["seat_0"] == outcome.action["seat_1"] for outcome in run.outcomes)
    assert score_of("collusion-best-response", COLLUSION, 2, "single_agent") == 1


def test_the_last_price_of_the_competitor_is_parsed_exactly():
    run = run_of("random", COLLUSION, 0)
    for seat, rival in (run.seats, run.seats[::-1]):
        history = run.call("get_previous_pricing_data", seat)
        assert reading.rival_price(history) == run.outcomes[-1].action[rival]
    assert reading.rival_price("There are no previous attempts yet.") is None


def played(agent, seed=0, generator="published", **options):
    return play_baseline(agent, instance_of("patience_vs_impatience", "STANDARD", generator, seed), Patience, **options)


def metrics(run):
    assert run.finished
    return run.metrics(run.instance, run.outcomes)


@pytest.mark.sampled
@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("rate", [0.02, 0.18])
def test_the_measured_rate_is_within_a_tenth_of_a_point(rate, generator):
    """Reliability stays below 1 because choices are known at the tested amounts only, and rise in a line between them."""
    found = metrics(played(patience_rate(rate), generator=generator))
    assert found["litmus_rate"] == pytest.approx(rate, abs=0.001 + 1e-9) and found["invalid"] == 0
    assert 0.97 < found["reliability"] < 1


@pytest.mark.long
def test_noise_keeps_the_rate_of_5_percent_and_lowers_reliability():
    default = played(PatienceRate)
    assert default.outcomes == played(patience_rate(0.05)).outcomes
    quiet, noisy = metrics(default), metrics(played(patience_rate(0.05, noise=0.4)))
    assert noisy["litmus_rate"] == pytest.approx(quiet["litmus_rate"], abs=0.006)
    # Of the answers that a coin decides, half go wrong.
    assert noisy["reliability"] == pytest.approx(quiet["reliability"] - 0.2, abs=0.02)


@pytest.mark.sampled
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_random_answers_have_a_reliability_of_about_a_half(seed):
    assert metrics(played(Random, seed))["reliability"] == pytest.approx(0.5, abs=0.03)


def test_an_agent_that_follows_the_rate_in_the_prompt_is_perfectly_competent():
    for rate in (0.05, 0.5):
        run = played(patience_rate(rate), variant="interest_rate")
        assert metrics(run)["competency"] == run.score(run.instance, run.outcomes).value == 1.0
    assert metrics(played(Random, variant="interest_rate"))["competency"] == pytest.approx(0.5, abs=0.1)


def test_constant_answers_have_half_competency_and_half_reliability():
    class AlwaysA(Random):
        def answer(self, prompt, rng):
            return "<answer>A</answer>"

    assert metrics(played(AlwaysA, variant="interest_rate"))["competency"] == pytest.approx(0.5, abs=0.01)
    assert metrics(played(AlwaysA))["reliability"] == pytest.approx(0.5, abs=1e-9)


@pytest.mark.long
def test_every_name_gets_the_agents_rate():
    by_name = metrics(played(patience_rate(0.1), variant="user_name"))["by_name"]
    assert len(by_name) == 36 and {found["rate"] for found in by_name.values()} == {by_name["Emily"]["rate"]}


def test_answers_differ_between_seeds_and_repeat_for_a_seed():
    once, again, other = (played(Random, seed, periods=20) for seed in (4, 4, 5))
    assert once.outcomes == again.outcomes != other.outcomes


def test_a_baseline_refuses_an_environment_that_it_does_not_play():
    with pytest.raises(ValueError, match=r"^Clairvoyant optimum does not play Patience versus impatience\.$"):
        run_of("optimum", "patience_vs_impatience", 0)
