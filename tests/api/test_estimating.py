"""Estimating a launch by program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from runs.models import Agent, Experiment, Instance
from tests.api.conftest import LAUNCH, Program

pytestmark = pytest.mark.django_db
BODY = LAUNCH | {"agents": ["gpt-4-1"]}


def test_the_estimate_is_that_of_the_launch_and_stores_nothing(owning: Program, organization: Any) -> None:
    estimated = owning.post("/estimate", BODY)
    assert estimated.status_code == 200
    assert not Experiment.objects.exists() and not Instance.objects.exists()
    launched = owning.post("/experiments", BODY).json()
    assert launched["estimate"] == estimated.json()
    assert estimated.json()["cost_usd"]["expected"] > 0


def test_an_agent_without_a_price_has_no_estimated_cost(owning: Program, organization: Any) -> None:
    Agent.objects.filter(slug="gpt-4-1").update(input_price=None)
    assert owning.post("/estimate", BODY).json()["cost_usd"] is None


def test_a_token_that_only_reads_may_estimate(program: Callable[..., Program]) -> None:
    assert program(scopes=("read",)).post("/estimate", BODY).status_code == 200


def test_wrong_fields_get_the_sentences_of_a_launch(owning: Program) -> None:
    for change in ({"agents": ["nobody"]}, {"periods": 101}, {"settings": {"products": 2}}, {"seeds": "5-2"}):
        estimated, launched = (owning.post(path, BODY | change) for path in ("/estimate", "/experiments"))
        assert estimated.status_code == 422
        assert estimated.json()["error"]["fields"] == launched.json()["error"]["fields"]


def test_agents_of_another_organization_are_not_there(owning: Program, other: Any) -> None:
    Agent.objects.filter(organization=other.organization, slug="gpt-4-1").update(slug="theirs")
    assert owning.post("/estimate", BODY | {"agents": ["theirs"]}).status_code == 422
