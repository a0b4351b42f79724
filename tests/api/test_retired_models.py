"""Retired models by API: a warning on the agent, then a refused launch."""

from datetime import date

import pytest

from runs.models import Experiment
from tests.api.conftest import LAUNCH, fields

SUCCESSOR = "claude-sonnet-5-5"
WARNING = f"Will be retired by its maker on 30 November 2026; its successor is {SUCCESSOR}."
REFUSAL = (
    "Claude 4.5 Sonnet cannot be launched, because its model was retired on 30 November 2026; "
    f"the successor is {SUCCESSOR}."
)
BODY = LAUNCH | {"agents": ["claude-4-5-sonnet"]}


def retirement(program, slug):
    return program.get(f"/agents/{slug}").json()["retirement"]


def test_an_agent_has_the_date_and_then_a_warning(owning, today_is):
    known = {"retires_on": "2026-11-30", "replaced_by": SUCCESSOR, "is_retired": False}
    assert retirement(owning, "claude-4-5-sonnet") == known | {"sentence": ""}
    today_is(date(2026, 10, 1))
    assert retirement(owning, "claude-4-5-sonnet") == known | {"sentence": WARNING}
    today_is(date(2026, 11, 30))
    gone = {"is_retired": True, "sentence": f"Retired on 30 November 2026; its successor is {SUCCESSOR}."}
    assert retirement(owning, "claude-4-5-sonnet") == known | gone
    assert [retirement(owning, slug) for slug in ("claude-4-5-haiku", "random")] == [None, None]


@pytest.mark.parametrize("path", ["/experiments", "/estimate"])
def test_a_launch_of_a_retired_model_is_refused(owning, today_is, path):
    today_is(date(2026, 11, 29))
    assert owning.post("/estimate", BODY).status_code == 200
    today_is(date(2026, 11, 30))
    assert fields(owning.post(path, BODY)) == {"agents": REFUSAL}
    assert not Experiment.objects.exists()


def test_an_estimate_names_changed_list_prices(owning, organization, monkeypatch):
    monkeypatch.setattr("runs.list_prices.today", lambda: date(2026, 11, 30))
    google = organization.endpoints.get(name="Google")
    owning.post("/agents", {"name": "Argon", "model": "gemini-4-argon", "endpoint": google.pk})
    body = LAUNCH | {"agents": ["argon"]}
    assert owning.post("/estimate", body).json()["price_changes"] == []
    monkeypatch.setattr("runs.list_prices.today", lambda: date(2026, 12, 1))
    (sentence,) = owning.post("/estimate", body).json()["price_changes"]
    assert "$2.00/$10.00 → $4.00/$20.00 per million tokens" in sentence
    launched = owning.post("/experiments", body).json()
    assert launched["estimate"]["price_changes"] == [sentence]


def test_a_budget_is_refused_for_a_model_without_a_price(owning, organization):
    endpoint = organization.endpoints.get(name="OpenAI")
    owning.post("/agents", {"name": "House", "model": "house-1", "endpoint": endpoint.pk})
    body = LAUNCH | {"agents": ["house"]}
    assert "No price is known for House" in fields(owning.post("/experiments", body | {"budget_usd": 1}))["agents"]
    assert owning.post("/experiments", body).status_code == 201
