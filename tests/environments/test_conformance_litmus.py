"""Efficiency versus equality and collusiveness versus competitiveness against the published experiment code."""

from __future__ import annotations

from typing import Any

import pytest

from environments.registry import ENVIRONMENTS, generate
from tests.environments.cast import act, conformance

EQUALITY, COLLUSION = "efficiency_vs_equality", "collusiveness_vs_competitiveness"


@conformance(EQUALITY)
def test_sizes_productivities_and_points_of_reference_are_the_same(row: dict[str, Any]) -> None:
    instance = generate(EQUALITY, row["difficulty"], row["seed"], row["generator"])
    assert instance.hidden["task_sizes"] == row["task_sizes"]
    assert instance.hidden["productivities"] == row["productivities"]
    for name in ("max_efficiency", "max_equality"):
        assert {key: instance.reference[name][key] for key in row[name]} == row[name]


@conformance(EQUALITY)
def test_whole_runs_come_to_the_same_revenue_inequality_and_scores(row: dict[str, Any]) -> None:
    instance = generate(EQUALITY, row["difficulty"], row["seed"], row["generator"])
    for replay in row["replays"]:
        environment = ENVIRONMENTS[EQUALITY](instance, variant=replay["variant"])
        for action in replay["actions"]:
            act(environment, action)
        assert environment.finished
        metrics = environment.metrics(instance, environment.outcomes)
        for key in ("revenue", "inequality", "litmus", "efficiency_competency", "equality_competency"):
            assert metrics[key] == pytest.approx(replay[key], rel=1e-6, abs=1e-6)


@conformance(COLLUSION)
def test_a_whole_run_of_two_sellers_gets_the_same_printed_feedback(row: dict[str, Any]) -> None:
    instance = generate(COLLUSION, row["difficulty"], row["seed"], row["generator"])
    assert instance.hidden["alpha"] == row["alpha"]
    environment = ENVIRONMENTS[COLLUSION](instance)
    for played in row["replay"]:
        outcome = act(environment, played["action"])
        # A figure on the edge of two decimals may round either way.
        assert list(outcome.result["quantities"].values()) == pytest.approx(played["quantities_2dp"], abs=0.005 + 1e-9)
        assert list(outcome.result["profits"].values()) == pytest.approx(played["profits_2dp"], abs=0.005 + 1e-9)
    assert environment.finished
