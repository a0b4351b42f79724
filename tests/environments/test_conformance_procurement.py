"""Procurement against the figures of the published experiment code."""

from __future__ import annotations

from typing import Any

import pytest

from environments.base import Instance
from environments.procurement.economics import Market, workers
from environments.registry import ENVIRONMENTS, generate
from tests.environments.cast import conformance


def instance_of(row: dict[str, Any]) -> Instance:
    return generate("procurement", row["difficulty"], row["seed"], row["generator"], with_reference=False)


@conformance("procurement")
def test_menu_categories_and_effectiveness_are_the_same(row: dict[str, Any]) -> None:
    instance = instance_of(row)
    assert instance.parameters["offers"] == row["offers"]
    assert [list(offer["contents"]) for offer in instance.parameters["offers"]] == [
        list(offer["contents"]) for offer in row["offers"]
    ]
    assert instance.parameters["categories"] == row["categories"]
    assert instance.hidden["effectiveness"] == row["effectiveness"]


@conformance("procurement")
def test_the_budget_lies_within_a_dollar_above_the_plan_that_sets_it(row: dict[str, Any]) -> None:
    market = Market.of(instance_of(row))
    assert market.cost_cents(row["budget_plan"]) == row["budget_plan_cost_cents"]
    assert row["budget_plan_cost_cents"] <= market.budget_cents <= row["budget_plan_cost_cents"] + 100


@conformance("procurement")
def test_the_printed_menu_is_the_same_text(row: dict[str, Any]) -> None:
    if row.get("menu_text"):
        environment = ENVIRONMENTS["procurement"](instance_of(row))
        assert environment.call("get_equipment_information").strip() == row["menu_text"].strip()


@conformance("procurement")
def test_plans_cost_and_support_the_same(row: dict[str, Any]) -> None:
    market = Market.of(instance_of(row))
    for case in row["plans"]:
        plan = case["plan"]
        assert market.cost_cents(plan) == case["cost_cents"]
        assert workers(market.category_sums(plan)) == pytest.approx(case["workers"], rel=1e-9, abs=1e-9)
        assert bool(market.missed_minimums(plan)) is case["minimum_missed"]
        affordable = case["cost_cents"] <= market.budget_cents
        assert market.is_feasible(plan) is (affordable and not case["minimum_missed"])
