"""Own prompts by API: created, read, launched, and marked on a leaderboard."""

import json
import re

import pytest

from runs.models import PromptVariant, Run
from tests.cast import play_all
from tests.data_folders import ROOT
from tests.prompts import prompt_of

GUIDE = (ROOT / "docs" / "prompts.md").read_text(encoding="utf-8")
NEW = {"environment": "pricing", "slug": "concise", "name": "Shorter", "texts": {"reply": "Go on."}}


def examples():
    """(path, body) of the curl commands of the guide."""
    commands = [block for block in re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL) if block.startswith("curl")]
    return [
        (re.search(r"\$SITE/api/v1(\S+)\"", command)[1], json.loads(re.search(r"-d '(.*)'", command)[1]))
        for command in commands
    ]


@pytest.mark.long
def test_the_examples_of_the_guide_produce_a_marked_row(owning):
    prompt, experiment = (owning.post(path, body) for path, body in examples())
    assert (prompt.status_code, experiment.status_code) == (201, 201)
    made = prompt.json()
    assert (made["variant"], made["runs"], made["texts"]["reply"]) == ("main+concise", 0, "Go on.")
    play_all(Run.objects.get().experiment)
    run = owning.get(f"/runs/{Run.objects.get().pk}").json()
    assert (run["variant"], run["prompts"], run["prompt_version"]) == ("main+concise", made["id"], made["version"])
    now = owning.get(f"/prompts/{made['id']}").json()
    assert now == made | {"runs": 1, "created_at": now["created_at"]}
    leaderboard = owning.get("/leaderboards/benchmark", variant="main+concise", periods=3).json()["rows"]
    assert [(row["name"], row["kind"], row["own_prompt"]) for row in leaderboard] == [
        ("Random", "baseline", "main+concise")
    ]
    paper = owning.get("/leaderboards/benchmark", periods=3).json()["rows"]
    assert [row for row in paper if row["kind"] != "published"] == [] == [row for row in paper if row["own_prompt"]]
    assert [row["id"] for row in owning.get("/runs", variant="main+concise").json()["items"]] == [run["id"]]


def test_a_repeated_request_creates_a_single_prompt(owning):
    answers = [owning.post("/prompts", NEW, Idempotency_Key="one") for _ in range(2)]
    assert answers[0].json() == answers[1].json() and PromptVariant.objects.count() == 1
    again = owning.post("/prompts", NEW)
    assert (again.status_code, again.json()["error"]["fields"]) == (
        422,
        {"slug": "There is a prompt main+concise of this environment already."},
    )


def test_every_invalid_field_gets_a_sentence(owning):
    missing = "The placeholder {upper_bound_price} is missing (price ceiling of the period)."
    for change, fields in (
        ({"slug": "main"}, {"slug": "main is reserved, because main+main would pass for a prompt of the paper."}),
        ({"texts": {"initial": "Go."}}, {"texts.initial": missing}),
        ({"texts": {"coda": "Go."}}, {"texts.coda": "There is no such text in this variant."}),
        ({"environment": "chess"}, {"environment": "There is no environment 'chess'."}),
        ({"texts": {"reply": "a\x00"}}, {"texts.reply": "A string cannot have a NUL character."}),
        ({"texts": {"reply": 1}}, {"texts.reply": "This must be a string."}),
        ({"versions": 1}, {"versions": "There is no such field."}),
    ):
        answer = owning.post("/prompts", NEW | change)
        assert (answer.status_code, answer.json()["error"]["fields"]) == (422, fields)
    assert not PromptVariant.objects.exists()


def test_unknown_and_foreign_prompts_get_the_same_sentence(owning, other):
    prompt_of(other.organization)
    body = {"environments": ["pricing"], "difficulties": ["BASIC"], "seeds": "0", "agents": ["random"]}
    for name in ("main+concise", "main+absent"):
        for path in ("/experiments", "/estimate"):
            answer = owning.post(path, body | {"variants": [name]}).json()["error"]
            assert answer["fields"] == {"variants": f"The chosen environments have no variant '{name}'."}
    assert owning.get("/runs", variant="main+concise").json()["items"] == []
    assert owning.get("/runs", variant="loud+concise").status_code == 422
    assert owning.get("/leaderboards/benchmark", variant="main+concise").status_code == 422


def test_the_list_of_own_prompts_can_be_limited_to_an_environment(owning, organization):
    made = [prompt_of(organization, environment=name, slug=f"a-{name}") for name in ("pricing", "procurement")]
    assert [row["id"] for row in owning.get("/prompts").json()["items"]] == [prompt.pk for prompt in made]
    (row,) = owning.get("/prompts", environment="procurement").json()["items"]
    assert row["variant"] == "main+a-procurement" and "texts" not in row
