"""Launching and controlling by API, with the sentences of the form."""

import html
import json
import re
import shlex

import pytest

from runs.models import Agent, Experiment, Instance, Run
from tests.api.conftest import LAUNCH, fields

CUSTOM = {"difficulties": ["CUSTOM"]}
MARKET = {
    "environments": ["collusiveness_vs_competitiveness"],
    "difficulties": ["STANDARD"],
    "agents": ["collusion-nash"],
}


def test_a_launch_creates_an_experiment_in_the_organization_of_the_token(owning, organization, alice):
    body = LAUNCH | {"name": "By program", "budget_usd": 2.5, "run_budget_usd": 0.5}
    response = owning.post("/experiments", body)
    assert response.status_code == 201
    answer = response.json()
    experiment = Experiment.objects.get(pk=answer["id"])
    assert (experiment.organization, experiment.created_by, experiment.name) == (organization, alice, "By program")
    assert experiment.budget_nano == 2_500_000_000
    assert set(Run.objects.values_list("state", "budget_nano", "periods")) == {("queued", 500_000_000, 3)}
    assert (answer["runs"]["total"], answer["state"], answer["is_done"]) == (2, "queued", False)


def test_the_answer_can_be_launched_again(owning):
    spec = owning.post("/experiments", LAUNCH).json()["launched_with"]
    again = {name: spec[name] for name in LAUNCH}
    assert owning.post("/experiments", again).json()["launched_with"] == spec


def test_whole_numbers_may_come_as_floats(owning):
    whole = LAUNCH | {
        "periods": 3,
        "runs_at_once": 2,
        "agents": ["random", "optimum"],
        "seeds": "0-7",
        "stages": [4, 8],
    }
    floats = whole | {"periods": 3.0, "runs_at_once": 2.0, "stages": [4.0, 8.0]}
    answers = [owning.post("/estimate", body) for body in (whole, floats)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert fields(owning.post("/estimate", whole | {"periods": 3.5})) == {"periods": "This must be a whole number."}


WRONG = [
    ({"environments": []}, "environments", "Choose at least one environment."),
    ({"environments": ["chess"]}, "environments", "Select a valid choice. chess is not one of"),
    ({"agents": ["nobody"]}, "agents", "There is no agent 'nobody' here."),
    ({"seeds": "5-2"}, "seeds", "The range 5-2 runs backwards; write 2-5."),
    ({"periods": 101}, "periods", "A run here has 1 to 100 periods; leave it empty"),
    ({"variants": ["known_horizon"]}, "variants", "The chosen environments have no variant 'known_horizon'."),
    ({"rival": "nobody"}, "rival", "Choose one of your agents for the second seat."),
    (MARKET | {"rival": "scheduling-knuth"}, "rival", ""),
    ({"budget_usd": 1.234}, "budget_usd", "The budget is in dollars and whole cents."),
    ({"settings": {"products": 2}}, "settings", "Settings go with the difficulty CUSTOM."),
    (CUSTOM | {"settings": {"luck": 2}}, "settings.luck", "This environment has no such setting."),
    (CUSTOM | {"settings": {"products": 4}}, "settings.nests", ""),
    ({"periods": "3"}, "periods", "This must be a whole number."),
    ({"agents": "random"}, "agents", "This must be a list."),
    ({"budget_usd": True}, "budget_usd", "This must be a number."),
]
NOT_FOR_WRITING = ("organization", "organization_id", "created_by", "cost_usd", "cost_nano", "state", "id")


@pytest.mark.long
def test_invalid_fields_get_the_sentences_of_the_form(owning, other):
    unknown = [({name: other.organization_id}, name, "There is no such field.") for name in NOT_FOR_WRITING]
    for change, field, sentence in WRONG + unknown:
        found = fields(owning.post("/experiments", LAUNCH | change))
        assert list(found) == [field] and found[field].startswith(sentence), (change, found)
        assert fields(owning.post("/estimate", LAUNCH | change)) == found, change
    assert not Experiment.objects.exists()


def test_agents_of_another_organization_are_unknown(owning, other):
    Agent.objects.filter(organization=other.organization, slug="random").update(slug="theirs")
    foreign = fields(owning.post("/experiments", LAUNCH | {"agents": ["theirs"]}))
    absent = fields(owning.post("/experiments", LAUNCH | {"agents": ["never-made"]}))
    assert foreign["agents"] == absent["agents"].replace("never-made", "theirs")


def test_runs_are_paused_resumed_cancelled_and_retried(owning, launch):
    experiment = launch("random", seeds=(0, 1))
    run = experiment.runs.first()

    def act(path):
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


@pytest.mark.long
def test_an_experiment_is_renamed_budgeted_and_deleted(owning, launch):
    experiment = launch("random")
    path = f"/experiments/{experiment.pk}"
    answer = owning.send("PATCH", path, {"name": "Second thoughts", "budget_usd": 3}).json()
    assert (answer["name"], answer["budget_usd"]) == ("Second thoughts", 3.0)
    assert owning.send("PATCH", path, {"budget_usd": None}).json() | {"budget_usd": 0} == answer | {"budget_usd": 0}
    experiment.refresh_from_db()
    assert (experiment.name, experiment.budget_nano) == ("Second thoughts", None)
    assert fields(owning.send("PATCH", path, {"name": " "})) == {"name": "A name has 1 to 200 characters."}
    nothing = "Say what to change: name, budget_usd, priority or runs_at_once."
    assert fields(owning.send("PATCH", path, {})) == {"body": nothing}
    for change, pace in (({"runs_at_once": 2}, ("normal", 2)), ({"priority": "low"}, ("low", 2))):
        changed = owning.send("PATCH", path, change).json()
        assert (changed["priority"], changed["runs_at_once"]) == pace
    urgent = fields(owning.send("PATCH", path, {"priority": "urgent"}))
    assert urgent == {"priority": "A priority is low, normal or high."}
    run = experiment.runs.get()
    assert owning.send("PATCH", f"/runs/{run.pk}", {"budget_usd": 0.07}).json()["budget_usd"] == 0.07
    assert owning.send("DELETE", path).status_code == 204
    gone = (path, f"{path}/ledger", f"/runs/{run.pk}", f"/runs/{run.pk}/periods")
    assert [owning.get(one).status_code for one in gone] == [404] * 4
    assert owning.get("/experiments").json()["items"] == owning.get("/runs").json()["items"] == []
    assert owning.send("DELETE", path).status_code == owning.post(f"{path}/pause").status_code == 404
    for _ in range(2):
        answer = owning.post(f"{path}/undelete")
        assert (answer.status_code, answer.json()["id"]) == (200, experiment.pk)
    assert [owning.get(one).status_code for one in gone] == [200] * 4
    assert owning.get(f"/runs/{run.pk}").json()["state"] == "paused"


def test_a_change_with_an_invalid_field_changes_nothing(owning, launch):
    experiment = launch("random")
    fields(owning.send("PATCH", f"/experiments/{experiment.pk}", {"name": "", "budget_usd": 3}))
    fields(owning.send("PATCH", f"/experiments/{experiment.pk}", {"name": "New", "budget_usd": 1.239}))
    experiment.refresh_from_db()
    assert experiment.budget_nano is None and experiment.name != "New"


def test_agents_are_added_and_priced_with_the_sentences_of_the_form(owning, organization, other):
    body = {"name": "House one", "model": "house-1", "input_price": 1.25, "output_price": 10}
    body["endpoint"] = organization.endpoints.first().pk
    answer = owning.post("/agents", body)
    assert answer.status_code == 201 and answer.json()["slug"] == "house-one"
    assert fields(owning.post("/agents", body)) == {"name": "There is an agent of this name already."}
    theirs = other.organization.endpoints.first().pk
    for endpoint in (theirs, 10**9):
        found = fields(owning.post("/agents", body | {"name": "x", "endpoint": endpoint}))
        assert found == {"endpoint": "Choose one of your endpoints."}
    prices = {"input_price": 2, "cached_price": None, "output_price": 8.5}
    changed = owning.send("PUT", "/agents/house-one/prices", prices).json()
    assert (changed["input_price"], changed["cached_price"], changed["output_price"]) == (2, None, 8.5)
    found = fields(owning.send("PUT", "/agents/house-one/prices", {"input_price": 1.23456}))
    assert found == {"input_price": "A price has at most four decimals."}


GPT = LAUNCH | {"agents": ["gpt-4-1"]}


def test_an_estimate_equals_that_of_the_launch_and_stores_nothing(owning, organization):
    estimated = owning.post("/estimate", GPT)
    assert estimated.status_code == 200
    assert not Experiment.objects.exists() and not Instance.objects.exists()
    launched = owning.post("/experiments", GPT).json()
    assert launched["estimate"] == estimated.json()
    assert estimated.json()["cost_usd"]["expected"] > 0
    Agent.objects.filter(slug="gpt-4-1").update(input_price=None)
    assert owning.post("/estimate", GPT).json()["cost_usd"] is None


@pytest.mark.sampled
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"seeds": (0, 1, 2, 7), "variants": ("main",), "periods": None},
        {"difficulties": ("CUSTOM",), "settings": {"products": 2, "nests": 1}, "run_budget_nano": 1_250_000_000},
        {"environments": ("pricing", "scheduling"), "generator": "paper_text", "reasoning_wording": "on"},
    ],
)
def test_the_call_on_the_launch_page_launches_the_same_plan(owning, client, alice, launch, options):
    experiment = launch("random", **options)
    name = "It's a “test” $(rm -rf) </pre>"
    Experiment.objects.filter(pk=experiment.pk).update(name=name, budget_nano=2_500_000_000)
    client.force_login(alice)
    page = client.get(f"/experiments/{experiment.pk}/").text
    call = html.unescape(re.search(r'<pre id="again-call">(.*?)</pre>', page, re.DOTALL).group(1))
    words = shlex.split(call.replace("\\\n", " "))
    assert words[:2] == ["curl", "http://testserver/api/v1/experiments"]
    assert f"Idempotency-Key: again-{experiment.pk}" in words
    made = owning.post("/experiments", json.loads(words[-1]))
    assert made.status_code == 201, made.content
    again = Experiment.objects.get(pk=made.json()["id"])
    assert (again.spec, again.name, again.budget_nano) == (experiment.spec, name, 2_500_000_000)
    command = html.unescape(re.search(r'<pre id="again-command">(.*?)</pre>', page, re.DOTALL).group(1))
    assert shlex.split(command)[:2] == ["bin/econevals", "launch"] and name in shlex.split(command)


@pytest.mark.long
def test_a_comparison_of_two_agents_is_planned_and_launched_in_stages(owning, played):
    body = LAUNCH | {"agents": ["random", "pricing-constant"], "seeds": "0-11", "stages": [4, 8, 12], "points": 100}
    played("random", "pricing-constant", seeds=tuple(range(5)), periods=3)
    found = owning.post("/estimate/seeds", body).json()
    assert found["needed"] >= 6 and found["stages"] == "8, 10, 12" and "0.125" in found["advice"]
    alone = owning.post("/estimate/seeds", body | {"agents": ["random"], "stages": []})
    assert alone.status_code == 422 and "two agents" in alone.json()["error"]["message"]
    address = f"/experiments/{owning.post('/experiments', body).json()['id']}"
    staged = owning.get(address).json()["staged"]
    assert (staged["state"], staged["stage"], [row["seeds"] for row in staged["stages"]]) == ("playing", 1, [4, 8, 12])
    assert owning.post(f"{address}/stages/continue", {}).json() == {"changed": 16}
    assert owning.get(address).json()["staged"]["state"] == "continued"
