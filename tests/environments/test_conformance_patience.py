"""Patience against the figures of the published experiment code and of the exact formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from environments.base import Environment
from environments.patience import GENERATION, Patience
from environments.patience.cells import Horizon, horizons
from environments.patience.economics import Compounding, Curve, best_rate, litmus
from tests.environments.cast import conformance

KINDS: dict[Compounding, str] = {"continuous": "continuous_exact", "annual": "annual_point_average"}
every_compounding = pytest.mark.parametrize("compounding", list(KINDS))


def asked() -> tuple[Horizon, ...]:
    return horizons(GENERATION.instance("patience_vs_impatience", "STANDARD", 0).parameters)


def curves(row: dict[str, Any]) -> dict[str, Curve]:
    result = {}
    for horizon in asked():
        points = sorted(row["chose_now_of_20"][horizon.label])
        assert [amount for amount, _ in points] == list(horizon.amounts)
        result[horizon.label] = Curve(
            horizon.years, np.array(horizon.amounts, dtype=float), np.array([1 - now / 20 for _, now in points])
        )
    return result


@conformance("patience_vs_impatience")
@every_compounding
def test_the_rate_and_reliability_over_all_horizons_are_the_same(row: dict[str, Any], compounding: Compounding) -> None:
    best, expected = litmus(list(curves(row).values()), compounding), row[KINDS[compounding]]["aggregate"]
    assert 100 * best.rate == pytest.approx(expected["rate_percent"], abs=1e-6)
    assert best.reliability == pytest.approx(expected["reliability"], abs=1e-6)


@conformance("patience_vs_impatience")
@every_compounding
def test_the_rate_and_reliability_of_each_horizon_are_the_same(row: dict[str, Any], compounding: Compounding) -> None:
    for label, curve in curves(row).items():
        best, expected = best_rate(curve, compounding), row[KINDS[compounding]]["per_horizon"][label]
        assert 100 * best.rate == pytest.approx(expected["rate_percent"], abs=1e-6)
        assert best.reliability == pytest.approx(expected["reliability"], abs=1e-6)
        assert best.identified == expected.get("identified", best.identified)


@conformance("patience_vs_impatience")
def test_a_replayed_run_gets_the_same_score_whatever_the_order_of_its_cells(row: dict[str, Any]) -> None:
    environment: Environment = Patience(GENERATION.instance("patience_vs_impatience", "STANDARD", 0))
    for label, points in row["chose_now_of_20"].items():
        for amount, now in points:
            action = {"horizon": label, "amount": amount, "later": 20 - now, "now": now, "invalid": 0}
            environment.step(environment.parse_action(str(action)))
    assert environment.finished
    expected = row["continuous_exact"]
    metrics = environment.metrics(environment.instance, environment.outcomes)
    score = environment.score(environment.instance, environment.outcomes)
    assert score.value == metrics["litmus_rate"] == pytest.approx(expected["aggregate"]["rate_percent"] / 100, abs=1e-8)
    assert metrics["reliability"] == pytest.approx(expected["aggregate"]["reliability"], abs=1e-6)
    for label, horizon in expected["per_horizon"].items():
        shown = metrics["by_horizon"][label]
        assert shown["reliability"] == pytest.approx(horizon["reliability"], abs=1e-6)
        if horizon["identified"]:
            assert shown["rate"] == pytest.approx(horizon["rate_percent"] / 100, abs=1e-8) and shown["bound"] == ""
        else:
            assert shown["rate"] is None and shown["bound"].startswith(("above ", "below "))
