"""Scheduling against the figures of the published experiment code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from environments.base import Instance
from environments.registry import ENVIRONMENTS, generate
from environments.scheduling.economics import Preferences
from tests.environments.cast import conformance


def instance_of(row: dict[str, Any]) -> Instance:
    return generate("scheduling", row["difficulty"], row["seed"], row["generator"])


@conformance("scheduling")
def test_preferences_are_the_same(row: dict[str, Any]) -> None:
    instance = instance_of(row)
    assert instance.hidden["worker_preferences"] == row["worker_preferences"]
    assert instance.hidden["task_preferences"] == row["task_preferences"]
    assert instance.parameters["feedback_pairs"] == row["feedback_pairs"]


@conformance("scheduling")
def test_blocking_pairs_are_the_same_in_the_same_order(row: dict[str, Any]) -> None:
    instance = instance_of(row)
    workers, tasks = instance.parameters["workers"], instance.parameters["tasks"]
    preferences = Preferences.of(instance)
    for case in row["matchings"]:
        task_of = np.array([tasks.index(case["matching"][worker]) for worker in workers])
        assert [[workers[w], tasks[t]] for w, t in preferences.blocking_pairs(task_of)] == case["pairs"]


@conformance("scheduling")
def test_the_expectation_is_exact_and_what_sampling_estimates(row: dict[str, Any]) -> None:
    expected = instance_of(row).reference["expected_blocking_pairs"]
    assert expected == pytest.approx(row["exact_expectation"], rel=1e-12)
    sample = row["sampled_expectation"]
    # Every interval is of 95 %, so among many rows some miss; twice as wide none may.
    slack = (sample["high"] - sample["low"]) / 2
    assert sample["low"] - slack <= expected <= sample["high"] + slack


@conformance("scheduling")
def test_a_whole_run_gets_the_same_feedback_and_score(row: dict[str, Any]) -> None:
    instance = instance_of(row)
    environment = ENVIRONMENTS["scheduling"](instance)
    for played in row["replay"]:
        outcome = environment.step(environment.parse_action(played["action"]))
        assert outcome.result["blocking_pairs"] == played["blocking_pairs"]
        assert outcome.result["feedback"] == played["feedback"]
    assert environment.finished == (len(row["replay"]) == 100 or not row["replay"][-1]["blocking_pairs"])
    assert environment.score(instance, environment.outcomes).value == pytest.approx(row["replay_score"], abs=1e-9)
