"""The filters of a saved leaderboard as JSON and back, and in words."""

from __future__ import annotations

import pytest

from analysis.benchmark.filters import TableFilter
from analysis.litmus.filters import LitmusFilter
from analysis.saved.filters import describe, from_json, to_json

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("kind", "chosen"),
    [
        ("benchmark", TableFilter()),
        ("benchmark", TableFilter(environments=("pricing",), difficulties=("HARD",), periods=7, agents=("house", "b"))),
        ("benchmark", TableFilter(generator="paper_text", rows=("own",), sort="agent")),
        ("litmus", LitmusFilter()),
        ("litmus", LitmusFilter(scope="all", rows=("own",), experiment=12, agents=("house",))),
    ],
)
def test_a_filter_comes_back_from_json_as_it_was(kind, chosen):
    assert from_json(kind, to_json(chosen)) == chosen


def test_what_is_saved_names_also_what_is_as_by_default():
    assert to_json(TableFilter())["generator"] == "published"
    assert to_json(TableFilter())["periods"] == 100


def test_a_filter_that_is_not_known_any_more_is_as_by_default():
    assert from_json("benchmark", {"generator": "withdrawn", "environments": ["pricing"]}) == TableFilter(
        environments=("pricing",)
    )


def test_filters_are_told_describe():
    chosen = to_json(TableFilter(environments=("pricing",), difficulties=("HARD",), periods=7, agents=("a", "b")))
    assert describe("benchmark", chosen) == ["Pricing", "HARD", "7 periods", "2 agents chosen"]
