"""Where the field `warm_up` appears, which `test_adding_a_launch_field.py` adds to a copy of the project."""

import pytest
from django.core.management import call_command

from runs.launching.again import spec_as_plan
from runs.launching.request import read_launch, request_as_plan, written_launch
from runs.models import Experiment
from tests.cast import LAUNCH_FORM

COMMAND = "launch --environment pricing --difficulty BASIC --seeds 0 --periods 3 --agent random"


def test_the_form_shows_checks_and_stores_the_field(page, organization):
    text = page.get("/experiments/new/").text
    assert 'name="warm_up"' in text and "Warm-up" in text and "periods that do not count" in text
    assert page.post("/experiments/new/", LAUNCH_FORM | {"warm_up": "10"}).status_code == 422
    page.post("/experiments/new/", LAUNCH_FORM | {"warm_up": "3"})
    experiment = organization.experiments.get()
    assert experiment.spec["warm_up"] == 3
    again = page.get(f"/experiments/new/?from={experiment.pk}").text
    assert 'name="warm_up" value="3"' in again and "--warm-up 3" in again


def test_the_api_documents_the_field(client):
    document = client.get("/api/v1/openapi.json").json()
    body = document["paths"]["/api/v1/experiments"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    field = document["components"]["schemas"][body["$ref"].rpartition("/")[2]]["properties"]["warm_up"]
    assert field["description"] == "Periods that do not count."
    assert {"type": "integer", "minimum": 1, "maximum": 9} in field["anyOf"]


def test_the_help_of_the_command_explains_the_field(capsys):
    with pytest.raises(SystemExit):
        call_command("launch", "--help")
    assert "--warm-up WARM-UP" in capsys.readouterr().out


def test_the_command_checks_and_stores_the_field(organization):
    with pytest.raises(SystemExit):
        call_command(*COMMAND.split(), "--warm-up", "10")
    call_command(*COMMAND.split(), "--warm-up", "3")
    assert Experiment.objects.get().spec["warm_up"] == 3


def test_a_launch_file_holds_the_field(organization, tmp_path):
    call_command(*COMMAND.split(), "--warm-up", "3")
    spec = Experiment.objects.get().spec
    file = written_launch(spec)
    assert "warm_up: 3\n" in file
    plan = request_as_plan(read_launch(file.encode()), organization)
    assert plan.as_spec() == spec == spec_as_plan(spec, organization).as_spec()
