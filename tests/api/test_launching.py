"""Launching and controlling by program, with the sentences of the form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from runs.models import Experiment, Run
from tests.api.conftest import LAUNCH, Program

pytestmark = pytest.mark.django_db


def fields(response: Any) -> dict[str, str]:
    assert response.status_code == 422, response.content
    return response.json()["error"]["fields"]


def test_a_launch_makes_the_experiment_of_the_token_s_organization(
    owning: Program, organization: Any, alice: Any
) -> None:
    body = LAUNCH | {"name": "By program", "budget_usd": 2.5, "run_budget_usd": 0.5}
    response = owning.post("/experiments", body)
    assert response.status_code == 201
    answer = response.json()
    experiment = Experiment.objects.get(pk=answer["id"])
    assert (experiment.organization, experiment.created_by, experiment.name) == (organization, alice, "By program")
    assert experiment.budget_nano == 2_500_000_000
    assert set(Run.objects.values_list("state", "budget_nano", "periods")) == {("queued", 500_000_000, 3)}
    assert (answer["runs"]["total"], answer["state"], answer["is_done"]) == (2, "queued", False)


def test_the_answer_can_be_launched_again(owning: Program) -> None:
    spec = owning.post("/experiments", LAUNCH).json()["launched_with"]
    again = {name: spec[name] for name in LAUNCH}
    assert owning.post("/experiments", again).json()["launched_with"] == spec


@pytest.mark.parametrize(
    ("change", "field", "sentence"),
    [
        ({"environments": []}, "environments", "Choose at least one environment."),
        (
            {"environments": ["chess"]},
            "environments",
            "Select a valid choice. chess is not one of the available choices.",
        ),
        ({"agents": []}, "agents", "Choose at least one agent."),
        ({"agents": ["nobody"]}, "agents", "One of the chosen agents is not there any more."),
        ({"seeds": "5-2"}, "seeds", "The range 5-2 runs backwards; write 2-5."),
        ({"seeds": ""}, "seeds", "Give at least one seed, such as 0-2."),
        (
            {"periods": 101},
            "periods",
            "A run here has 1 to 100 periods; leave it empty for as many as the papers play.",
        ),
        ({"variants": ["known_horizon"]}, "variants", "The chosen environments have no variant 'known_horizon'."),
        ({"rival": "nobody"}, "rival", "Choose one of your agents for the second seat."),
        ({"budget_usd": 1.234}, "budget_usd", "The budget is in dollars and whole cents."),
        ({"settings": {"products": 2}}, "settings", "Settings go with the difficulty CUSTOM."),
        (
            {"difficulties": ["CUSTOM"], "settings": {"luck": 2}},
            "settings.luck",
            "This environment has no such setting.",
        ),
        ({"difficulties": ["CUSTOM"], "settings": {"products": 4}}, "settings.nests", None),
        ({"periods": "3"}, "periods", "This must be a whole number."),
        ({"agents": "random"}, "agents", "This must be a list."),
        ({"budget_usd": True}, "budget_usd", "This must be a number."),
    ],
)
def test_wrong_fields_get_the_form_s_sentences(owning: Program, change: Any, field: str, sentence: str | None) -> None:
    found = fields(owning.post("/experiments", LAUNCH | change))
    assert list(found) == [field]
    assert found[field] == sentence or sentence is None
    assert not Experiment.objects.exists()


@pytest.mark.parametrize(
    "name", ["organization", "organization_id", "created_by", "cost_usd", "cost_nano", "state", "id"]
)
def test_fields_that_are_not_for_writing_are_refused(owning: Program, other: Any, name: str) -> None:
    value = other.organization_id
    assert fields(owning.post("/experiments", LAUNCH | {name: value})) == {name: "There is no such field."}
    assert not Experiment.objects.exists()


def test_agents_of_another_organization_are_not_there(owning: Program, other: Any) -> None:
    from runs.models import Agent

    Agent.objects.filter(organization=other.organization, slug="random").update(slug="theirs")
    foreign = fields(owning.post("/experiments", LAUNCH | {"agents": ["theirs"]}))
    assert foreign == fields(owning.post("/experiments", LAUNCH | {"agents": ["never-made"]}))


def test_a_custom_difficulty_is_launched_with_its_settings(owning: Program) -> None:
    body = LAUNCH | {"difficulties": ["CUSTOM"], "settings": {"products": 2, "nests": 1}}
    assert owning.post("/experiments", body).status_code == 201
    assert Run.objects.first().instance.settings == {"products": 2, "nests": 1}


def test_pausing_resuming_cancelling_and_retrying(owning: Program, launch: Callable[..., Any]) -> None:
    experiment = launch("random", seeds=(0, 1))
    run = experiment.runs.first()

    def act(path: str) -> int:
        response = owning.post(path)
        assert response.status_code == 200, response.content
        return response.json()["changed"]

    assert act(f"/experiments/{experiment.pk}/pause") == 2
    assert act(f"/experiments/{experiment.pk}/pause") == 0
    assert act(f"/runs/{run.pk}/resume") == 1
    assert act(f"/experiments/{experiment.pk}/resume") == 1
    Run.objects.filter(pk=run.pk).update(state="errored")
    assert act(f"/runs/{run.pk}/retry") == 1
    assert act(f"/experiments/{experiment.pk}/cancel") == 2
    assert owning.get(f"/experiments/{experiment.pk}").json()["state"] == "cancelled"
    assert owning.post(f"/runs/{run.pk}/explode").status_code in (404, 422)


def test_renaming_changing_budgets_and_deleting(owning: Program, launch: Callable[..., Any]) -> None:
    experiment = launch("random")
    path = f"/experiments/{experiment.pk}"
    answer = owning.send("PATCH", path, {"name": "Second thoughts", "budget_usd": 3}).json()
    assert (answer["name"], answer["budget_usd"]) == ("Second thoughts", 3.0)
    assert owning.send("PATCH", path, {"budget_usd": None}).json() | {"budget_usd": 0} == answer | {"budget_usd": 0}
    experiment.refresh_from_db()
    assert (experiment.name, experiment.budget_nano) == ("Second thoughts", None)
    assert fields(owning.send("PATCH", path, {"name": " "})) == {"name": "A name has 1 to 200 characters."}
    assert fields(owning.send("PATCH", path, {})) == {"body": "Say what to change: name or budget_usd."}
    run = experiment.runs.get()
    assert owning.send("PATCH", f"/runs/{run.pk}", {"budget_usd": 0.07}).json()["budget_usd"] == 0.07
    assert owning.send("DELETE", path).status_code == 204
    assert owning.get(path).status_code == 404


def test_half_a_change_is_none(owning: Program, launch: Callable[..., Any]) -> None:
    experiment = launch("random")
    fields(owning.send("PATCH", f"/experiments/{experiment.pk}", {"name": "", "budget_usd": 3}))
    fields(owning.send("PATCH", f"/experiments/{experiment.pk}", {"name": "New", "budget_usd": 1.239}))
    experiment.refresh_from_db()
    assert (experiment.name, experiment.budget_nano) != ("New", 3_000_000_000)
    assert experiment.budget_nano is None and experiment.name != "New"


def test_agents_are_added_and_priced_with_the_form_s_sentences(owning: Program, organization: Any, other: Any) -> None:
    from accounts.services import endpoint_create

    made = endpoint_create(
        organization=organization, name="House", provider="openai-compatible", base_url="http://127.0.0.1:1/v1"
    )
    body = {"name": "House one", "endpoint": made.pk, "model": "house-1", "input_price": 1.25, "output_price": 10}
    answer = owning.post("/agents", body)
    assert answer.status_code == 201 and answer.json()["slug"] == "house-one"
    assert fields(owning.post("/agents", body)) == {"name": "There is an agent of this name already."}
    theirs = other.organization.endpoints.first().pk
    for endpoint in (theirs, 10**9):
        assert fields(owning.post("/agents", body | {"name": "x", "endpoint": endpoint})) == {
            "endpoint": "Choose one of your endpoints."
        }
    prices = {"input_price": 2, "cached_price": None, "output_price": 8.5}
    changed = owning.send("PUT", "/agents/house-one/prices", prices).json()
    assert (changed["input_price"], changed["cached_price"], changed["output_price"]) == (2, None, 8.5)
    assert fields(owning.send("PUT", "/agents/house-one/prices", {"input_price": 1.23456})) == {
        "input_price": "A price has at most four decimals."
    }
