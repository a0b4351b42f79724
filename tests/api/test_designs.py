"""Designs by API: from saving one to its marked row on a leaderboard."""

import pytest

from runs.models import Run
from runs.services.designs import design_create
from tests.cast import play_all


@pytest.fixture
def viewing(program, join):
    return program(join("vera", "viewer"))


@pytest.mark.long
def test_designs_are_saved_and_launched_by_the_api_and_their_cells_are_marked(owning, organization, viewing):
    body = {"environment": "pricing", "name": "Three goods", "settings": {"products": 3, "nests": 1}}
    design = owning.post("/designs", body, Idempotency_Key="a").json()
    assert design == owning.post("/designs", body, Idempotency_Key="a").json()
    assert (design["difficulty"], design["settings"], design["runs"], design["is_archived"]) == (
        "CUSTOM+THREE-GOODS", {"products": 3, "nests": 1}, 0, False,
    )  # fmt: skip
    assert [row["id"] for row in viewing.get("/designs").json()["items"]] == [design["id"]]
    launch = {"environments": ["pricing"], "difficulties": [design["difficulty"]], "seeds": "0", "agents": ["random"]}
    launched = owning.post("/experiments", launch | {"periods": 2})
    assert launched.status_code == 201, launched.content
    experiment = organization.experiments.get(pk=launched.json()["id"])
    play_all(experiment)
    # Leaderboards show only runs of the paper's 100 periods.
    Run.objects.update(periods=100, periods_played=100)
    assert viewing.get(f"/designs/{design['id']}").json()["runs"] == 1
    answer = viewing.get("/leaderboards/benchmark?environments=pricing&difficulties=CUSTOM%2BTHREE-GOODS").json()
    (row,) = answer["rows"]
    assert (row["agent"], row["cells"][0]["difficulty"], row["cells"][0]["is_own_design"]) == (
        "random", "CUSTOM+THREE-GOODS", True,
    )  # fmt: skip
    (listed,) = viewing.get("/instances?difficulty=CUSTOM%2BTHREE-GOODS").json()["items"]
    exported = viewing.get(f"/instances/{listed['id']}").json()
    assert exported["difficulty"] == "CUSTOM+THREE-GOODS" and len(exported["parameters"]["products"]) == 3
    assert viewing.get("/runs?difficulty=CUSTOM%2BTHREE-GOODS").json()["items"][0]["state"] == "finished"


def test_invalid_designs_get_a_sentence_per_field(owning, viewing, other):
    good = {"environment": "pricing", "name": "Good", "settings": {"products": 3, "nests": 1}}
    for change, field in (
        ({"environment": "chess"}, "environment"),
        ({"environment": ""}, "environment"),
        ({"name": ""}, "name"),
        ({"settings": {"products": 3}}, "settings.nests"),
        ({"settings": {"products": 3, "nests": 3}}, "settings.nests"),
        ({"settings": {"products": 3, "nests": 1, "luck": 2}}, "settings.luck"),
        ({"settings": {"products": "3"}}, "settings.products"),
        ({"organization": 1}, "organization"),
    ):
        answer = owning.post("/designs", good | change)
        assert answer.status_code == 422, change
        assert list(answer.json()["error"]["fields"]) == [field], (change, answer.json())
    values = {"environment": "pricing", "settings": good["settings"]}
    foreign = design_create(organization=other.organization, user=None, name="Theirs", **values)
    assert owning.get(f"/designs/{foreign.pk}").status_code == owning.get("/designs/999").status_code == 404
    refused_launch = owning.post("/experiments", {
        "environments": ["pricing"], "difficulties": [foreign.difficulty], "seeds": "0", "agents": ["random"],
    })  # fmt: skip
    assert "There is no design CUSTOM+THEIRS here" in refused_launch.json()["error"]["fields"]["difficulties"]
    wrong = viewing.get("/instances?difficulty=EASY").json()["error"]["fields"]["difficulty"]
    assert wrong == "This must be BASIC, MEDIUM, HARD, STANDARD, CUSTOM or CUSTOM+SLUG of a design."
