"""Saved leaderboards and instances by program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.django_db


def test_a_saved_leaderboard_shows_what_the_free_table_shows_with_its_filters(
    owning: Any, played: Callable[..., Any], saved: Callable[..., Any]
) -> None:
    from analysis.benchmark.filters import TableFilter

    played("random", "pricing-constant", seeds=(0, 1))
    ours = saved("Pricing only", TableFilter(environments=("pricing",), rows=("own", "baseline"), periods=4))
    (row,) = owning.get("/leaderboards").json()["items"]
    assert (row["id"], row["name"], row["kind"], row["is_pinned"]) == (ours.pk, "Pricing only", "benchmark", False)
    found = owning.get(f"/leaderboards/{ours.pk}").json()
    free = owning.get("/leaderboards/benchmark", **row["filters"]).json()
    assert found["litmus"] is None and found["benchmark"] == free and len(free["rows"]) == 2
    assert row == {name: found[name] for name in row}


def test_a_saved_litmus_table_has_its_rows(owning: Any, saved: Callable[..., Any]) -> None:
    from analysis.litmus.filters import LitmusFilter

    ours = saved("Tests", LitmusFilter(rows=("published",)))
    found = owning.get(f"/leaderboards/{ours.pk}").json()
    assert found["benchmark"] is None and found["litmus"] == owning.get("/leaderboards/litmus", rows="published").json()
    assert found["litmus"]["rows"]


def test_another_organization_sees_no_saved_leaderboards(
    program: Callable[..., Any], other: Any, saved: Callable[..., Any]
) -> None:
    ours = saved("Ours")
    assert program(other).get("/leaderboards").json()["items"] == []
    foreign, absent = (program(other).get(f"/leaderboards/{number}") for number in (ours.pk, 10**9))
    assert foreign.status_code == absent.status_code == 404 and foreign.content == absent.content


def test_instances_are_listed_and_narrowed(owning: Any, launch: Callable[..., Any]) -> None:
    launch("random", environments=("pricing", "scheduling"), seeds=(0, 1))
    everything = owning.get("/instances").json()["items"]
    assert len(everything) == 4 and set(everything[0]) == {"id", "environment", "difficulty", "seed", "generator"}
    narrowed = owning.get("/instances", environment="pricing", seed=1).json()["items"]
    assert narrowed == [row for row in everything if (row["environment"], row["seed"]) == ("pricing", 1)]
    assert owning.get("/instances", environment="chess").status_code == 422
    assert owning.get(f"/instances/{narrowed[0]['id']}").json()["hidden"]
