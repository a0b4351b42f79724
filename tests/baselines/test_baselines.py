"""The agents without a model: quick, reproducible, and as good or bad as they are meant to be."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import numpy as np
import pytest

from agents.baselines.base import BaselineLLM
from agents.baselines.registry import BASELINES
from agents.episode import play, play_baseline
from agents.notes import Notes
from environments.base import Environment, Instance
from environments.registry import ENVIRONMENTS, GENERATION, generate
from tests.environments.cast import SMALL, SURVEYS, fresh_instance

PAIRS = [(slug, name) for slug, baseline in BASELINES.items() for name in baseline.environments if name in ENVIRONMENTS]
every_pair = pytest.mark.parametrize(("slug", "name"), PAIRS)
every_pair_with_notes = pytest.mark.parametrize(("slug", "name"), [pair for pair in PAIRS if pair[1] not in SURVEYS])


def easiest(name: str) -> str:
    return next(iter(GENERATION[name].difficulties))


@cache
def instance_of(name: str, difficulty: str, seed: int) -> Instance:
    return generate(name, difficulty, seed)


@cache
def played(slug: str, name: str, difficulty: str, seed: int) -> Environment:
    return play_baseline(BASELINES[slug], instance_of(name, difficulty, seed), ENVIRONMENTS[name])


def mean_score(slug: str, name: str, difficulty: str, seeds: int = 12) -> float:
    runs = [played(slug, name, difficulty, seed) for seed in range(seeds)]
    return 100 * float(np.mean([run.score(run.instance, run.outcomes).value for run in runs]))


def test_every_slug_is_that_of_its_class_and_is_described() -> None:
    for slug, baseline in BASELINES.items():
        assert baseline.slug == slug and baseline.title and baseline.description.endswith(".")
        assert baseline.environments


@every_pair
def test_a_run_is_over_at_once_and_repeats_itself(slug: str, name: str) -> None:
    instance = instance_of(name, easiest(name), 1)
    started = time.process_time()
    run = play_baseline(BASELINES[slug], instance, ENVIRONMENTS[name])
    assert time.process_time() - started < 2.0
    assert run.finished
    assert run.outcomes == played(slug, name, easiest(name), 1).outcomes


@every_pair
def test_a_baseline_resumed_in_the_middle_plays_on_as_if_never_stopped(slug: str, name: str) -> None:
    whole = played(slug, name, easiest(name), 1)
    half = ENVIRONMENTS[name](whole.instance, whole.outcomes[: len(whole.outcomes) // 2])
    seated = {seat: BASELINES[slug](whole.instance, ENVIRONMENTS[name], seat) for seat in half.seats}
    assert play(half, lambda seat, period: BaselineLLM(seated[seat], period)).outcomes == whole.outcomes


@every_pair_with_notes
def test_a_short_note_in_every_period_explains_the_choice(slug: str, name: str) -> None:
    environment = ENVIRONMENTS[name](instance_of(name, easiest(name), 2), periods=12)
    notes = {seat: Notes() for seat in environment.seats}
    baseline = BASELINES[slug](environment.instance, ENVIRONMENTS[name])
    play(environment, lambda seat, period: BaselineLLM(baseline, period), notes)
    for written in notes.values():
        assert list(written.by_period) == list(range(environment.period))
        for (text,) in written.by_period.values():
            assert text.endswith(".") and 20 < len(text) < 400


@every_pair
@pytest.mark.parametrize("generator", ["published", "paper_text"])
def test_baselines_play_custom_instances_of_both_generators(slug: str, name: str, generator: str) -> None:
    for seed in range(3):
        instance = fresh_instance(name, "CUSTOM", generator, seed)
        assert instance.settings == SMALL[name]
        assert play_baseline(BASELINES[slug], instance, ENVIRONMENTS[name], periods=25).finished


@pytest.mark.parametrize("slug", [slug for slug, baseline in BASELINES.items() if not baseline.clairvoyant])
def test_only_the_clairvoyant_looks_at_what_is_hidden(slug: str) -> None:
    for name in BASELINES[slug].environments:
        if name in ENVIRONMENTS:
            shown = instance_of(name, easiest(name), 0)
            blind = Instance(**vars(shown) | {"hidden": {}, "reference": {}})
            game = ENVIRONMENTS[name](shown, periods=15)
            seated = {seat: BASELINES[slug](blind, ENVIRONMENTS[name], seat) for seat in game.seats}
            run = play(game, lambda seat, period, players=seated: BaselineLLM(players[seat], period))
            whole = played(slug, name, easiest(name), 0)
            assert [o.action for o in run.outcomes] == [o.action for o in whole.outcomes[:15]]


@pytest.mark.parametrize("name", ["procurement", "scheduling", "pricing"])
@pytest.mark.parametrize("difficulty", ["BASIC", "MEDIUM"])
def test_the_clairvoyant_scores_exactly_one_and_chance_far_less(name: str, difficulty: str) -> None:
    assert mean_score("optimum", name, difficulty, 3) == pytest.approx(100, abs=1e-9)
    assert mean_score("random", name, difficulty, 3) < 70


def test_chance_stays_within_the_budget_most_of_the_time() -> None:
    runs = [played("random", "procurement", "BASIC", seed) for seed in range(4)]
    rates = [run.metrics(run.instance, run.outcomes)["within_budget_rate"] for run in runs]
    assert 0.6 < np.mean(rates) <= 1


@pytest.mark.parametrize(
    ("difficulty", "published"),
    [("BASIC", 100.0), ("MEDIUM", 98.1), pytest.param("HARD", 76.0, marks=pytest.mark.long)],
)
def test_knuths_rule_scores_what_the_paper_reports(difficulty: str, published: float) -> None:
    assert mean_score("scheduling-knuth", "scheduling", difficulty) == pytest.approx(published, abs=2)


def test_knuths_rule_swaps_one_reported_pair() -> None:
    run = played("scheduling-knuth", "scheduling", "BASIC", 0)
    for before, after in zip(run.outcomes, run.outcomes[1:], strict=False):
        changed = {worker for worker in before.action if before.action[worker] != after.action[worker]}
        assert len(changed) == 2
        assert any(after.action[worker] == task for worker, task in before.result["feedback"])


def test_the_hill_climber_beats_chance_clearly_and_stays_feasible() -> None:
    climber = mean_score("procurement-hill-climber", "procurement", "BASIC", 6)
    assert climber > 80 and climber > mean_score("random", "procurement", "BASIC", 6) + 20
    assert mean_score("procurement-hill-climber", "procurement", "MEDIUM", 4) > 75
    run: Any = played("procurement-hill-climber", "procurement", "BASIC", 0)
    assert all(outcome.result["feasible"] for outcome in run.outcomes)


@pytest.mark.parametrize(("difficulty", "seeds"), [("BASIC", 6), ("MEDIUM", 4), ("HARD", 2)])
def test_following_the_drift_beats_searching_which_beats_standing_still(difficulty: str, seeds: int) -> None:
    constant, local, tracker = (
        mean_score(f"pricing-{kind}", "pricing", difficulty, 6)
        for kind in ("constant", "local-search", "drift-tracker")
    )
    assert constant < local < tracker
    assert tracker > 97
