"""Pricing against the figures of the published experiment code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from environments.base import Instance
from environments.pricing.economics import Demand
from environments.registry import ENVIRONMENTS, generate
from tests.environments.cast import conformance


def instance_of(row: dict[str, Any]) -> Instance:
    return generate("pricing", row["difficulty"], row["seed"], row["generator"])


def near(values: object, rel: float = 1e-9) -> Any:
    return pytest.approx(values, rel=rel, abs=1e-12)


@conformance("pricing")
def test_parameters_are_the_same(row: dict[str, Any]) -> None:
    instance = instance_of(row)
    assert instance.parameters["products"] == row["products"]
    assert instance.parameters["costs"] == near(row["costs"])
    assert instance.hidden["qualities"] == near(row["qualities"])
    assert instance.hidden["nests"] == row["nests"]
    assert instance.hidden["shift"] == row["shift"]
    assert instance.hidden["period_length"] in (None, row["period_length"])
    assert instance.hidden["alphas"][0] == near(row["alphas_first"])
    assert instance.hidden["alphas"][-1] == near(row["alphas_last"])


@conformance("pricing")
def test_the_markup_is_the_same(row: dict[str, Any]) -> None:
    assert Demand.of(instance_of(row)).optimal_markup() == near(row["markup"], 1e-6)


@conformance("pricing")
def test_recommended_ceilings_are_the_same_where_the_published_optimiser_converged(row: dict[str, Any]) -> None:
    ceilings = instance_of(row).parameters["price_ceilings"]
    for block, ceiling in enumerate(row.get("price_ceilings_by_ten") or []):
        if ceiling is not None:
            assert ceilings[10 * block : 10 * block + 10] == pytest.approx([ceiling] * 10, abs=0.011)


@conformance("pricing")
def test_quantities_and_profits_are_the_same(row: dict[str, Any]) -> None:
    instance = instance_of(row)
    demand = Demand.of(instance)
    for case in row["cases"]:
        alphas = instance.hidden["alphas"][case["period"]]
        assert demand.quantities(case["prices"], alphas) == near(np.array(case["quantities"]), 1e-6)
        assert demand.profits(case["prices"], alphas) == near(np.array(case["profits"]), 1e-6)


@conformance("pricing")
def test_a_whole_run_gets_the_same_printed_feedback_and_score(row: dict[str, Any]) -> None:
    instance = instance_of(row)
    environment = ENVIRONMENTS["pricing"](instance)
    for played in row["replay"]:
        outcome = environment.step(environment.parse_action(played["action"]))
        # A figure on the edge of two decimals may round either way.
        assert list(outcome.result["quantities"].values()) == pytest.approx(played["quantities_2dp"], abs=0.005 + 1e-9)
        assert list(outcome.result["profits"].values()) == pytest.approx(played["profits_2dp"], abs=0.005 + 1e-9)
    assert environment.finished
    if row.get("replay_score_2dp") is not None:
        assert environment.score(instance, environment.outcomes).value == pytest.approx(
            row["replay_score_2dp"], abs=1e-4
        )
