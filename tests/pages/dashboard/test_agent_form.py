"""The form of an agent: edited, frozen once it has runs, duplicated; and archiving."""

import html
import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import AuditEntry
from tests.cast import LAUNCH_FORM

HOUSE = {"name": "House", "model": "house-1", "temperature": "1", "reasoning_effort": ""}


@pytest.fixture
def endpoint(organization):
    return organization.endpoints.get(name="OpenAI")


@pytest.fixture
def typed(endpoint):
    return HOUSE | {"endpoint": endpoint.pk}


@pytest.fixture
def house(page, organization, typed):
    """An agent without runs."""
    page.post("/agents/new/", typed)
    return organization.agents.get(slug="house")


def values_of(text):
    """What the form is filled in with."""
    fields = dict(re.findall(r'<input type="(?:text|number)" name="(\w+)" value="([^"]*)"', text))
    chosen = re.findall(r'<select name="(\w+)".*?<option value="([^"]*)" selected', text)
    area = re.search(r"<textarea[^>]*>\s*(.*?)</textarea>", text, re.DOTALL)[1]
    return fields | dict(chosen) | {"extra_parameters": html.unescape(area)}


def test_all_settings_are_saved_and_displayed(page, house, typed):
    chosen = {
        "name": "House, low",
        "reasoning_effort": "low",
        "temperature": "",
        "max_tokens": "8000",
        "extra_parameters": '{"top_p": 0.9, "stop": ["é"]}',
        "calls_at_once": "3",
    }
    answer = page.post(f"/agents/{house.pk}/edit/", typed | chosen, follow=True)
    assert answer.redirect_chain[-1][0] == "/agents/house/"
    for shown in ("House, low", "reasoning effort low", "top_p", "at most 3 calls at once", "8,000 output tokens"):
        assert shown in answer.text, shown
    house.refresh_from_db()
    assert (house.extra_parameters, house.temperature) == ({"top_p": 0.9, "stop": ["é"]}, None)
    found = values_of(page.get(f"/agents/{house.pk}/edit/").text)
    parameters = found.pop("extra_parameters")
    assert json.loads(parameters) == json.loads(chosen.pop("extra_parameters")) and "é" in parameters
    assert {name: found.get(name, "") for name in chosen} == chosen


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("top_p=0.9", "This text is not JSON."),
        ("[1]", "Write a JSON object"),
        ('{"a": NaN}', "which is not a number in JSON"),
        ('{"a": 1, "a": 2}', "the same key twice"),
        ('{"tools": []}', "tools is set by EconEvals"),
        ('{"api_key": "x"}', "api_key looks like a key"),
        ('{"a": "' + 9 * 1024 * "x" + '"}', "at most 8,192 bytes"),
        ('{"a": "\\u0000"}', "cannot be stored"),
    ],
    ids=["no JSON", "list", "NaN", "twice", "reserved", "key", "9 KiB", "NUL"],
)
def test_invalid_extra_parameters_get_a_sentence_and_stay_in_the_field(page, house, typed, text, sentence):
    answer = page.post(f"/agents/{house.pk}/edit/", typed | {"extra_parameters": text})
    assert answer.status_code == 422 and sentence in answer.text
    assert values_of(answer.text)["extra_parameters"] == text
    house.refresh_from_db()
    assert house.extra_parameters == {}


def test_the_form_of_an_agent_with_runs_is_frozen_and_offers_a_duplicate(page, house, typed, launch):
    address = f"/agents/{house.pk}/edit/"
    assert "frozen" not in page.get(address).text
    launch("house")
    text = page.get(address).text
    assert "are frozen: it has runs" in text and f'href="/agents/new/?from={house.pk}"' in text
    frozen = re.findall(r'<(?:input|select|textarea)[^>]*name="(\w+)"[^>]* disabled', text)
    assert frozen == [
        "endpoint",
        "model",
        "reasoning",
        "reasoning_effort",
        "temperature",
        "max_tokens",
        "extra_parameters",
    ]
    # A browser does not send disabled fields; values sent for them are ignored.
    answer = page.post(address, {"name": "New name", "calls_at_once": "2", "model": "another"})
    assert answer.status_code == 302
    house.refresh_from_db()
    assert (house.name, house.calls_at_once, house.model) == ("New name", 2, "house-1")


def test_a_duplicate_is_filled_in_under_a_free_name(page, house, typed, organization):
    page.post(
        f"/agents/{house.pk}/edit/", typed | {"reasoning_effort": "high", "input_price": "1", "output_price": "2"}
    )
    text = page.get(f"/agents/new/?from={house.pk}").text
    found = values_of(text)
    assert (found["name"], found["model"], found["reasoning_effort"]) == ("House 2", "house-1", "high")
    assert found["input_price"] == "1.0000" and "Nothing is added yet." in text
    page.post(f"/agents/new/?from={house.pk}", typed | {"name": found["name"], "reasoning_effort": "high"})
    assert organization.agents.get(slug="house-2").reasoning_effort == "high"


@pytest.mark.long
def test_archiving_hides_an_agent_from_lists_and_unarchiving_restores_it(page, house, launch):
    launch("house")
    text = page.post(f"/agents/{house.pk}/archive/", follow=True).text
    assert (
        "Archived House. It is not offered for launches any more; its results stay. Its 1 active run goes on." in text
    )
    assert "Unarchive" in text and "Latest runs" in text
    text = page.get("/agents/").text
    assert "1 archived agent" in text and f"/agents/{house.pk}/test/" not in text
    assert 'value="house"' not in page.get("/experiments/new/").text
    assert "Unarchived House." in page.post(f"/agents/{house.pk}/unarchive/", follow=True).text
    assert "archived agent" not in page.get("/agents/").text
    assert 'value="house"' in page.get("/experiments/new/").text
    assert list(AuditEntry.objects.values_list("subject", flat=True).order_by("pk"))[-2:] == ["House", "House"]


@pytest.mark.long
def test_an_old_launch_shows_archived_agents_and_why_they_are_refused(page, house, launch):
    game = {"environments": ("collusiveness_vs_competitiveness",), "difficulties": ("STANDARD",)}
    launched = launch("house", "random", rival=house, **game)
    page.post(f"/agents/{house.pk}/archive/")
    told = "House is archived. Unarchive it on its page to launch it."
    text = page.get(f"/experiments/new/?from={launched.pk}").text
    assert re.search(r'value="house" checked', text) and re.search(r'<option value="house" selected', text)
    answer = page.post("/experiments/new/", LAUNCH_FORM | {"agents": ["house"], "rival": "house"})
    assert answer.status_code == 422 and answer.text.count(told) >= 2
    file = b"{environments: [pricing], difficulties: [BASIC], seeds: '0', agents: [house]}"
    answer = page.post("/experiments/new/file/", {"file": SimpleUploadedFile("launch.yaml", file)})
    assert answer.status_code == 422 and told in answer.text


@pytest.mark.long
def test_foreign_and_missing_agents_get_the_same_answer(stranger, house):
    addresses = [f"/agents/{{}}/{page}/" for page in ("edit", "archive", "unarchive", "test")] + [
        "/agents/new/?from={}"
    ]
    for address in addresses:
        act = stranger.get if address.endswith(("edit/", "{}")) else stranger.post
        answers = [act(address.format(number)) for number in (house.pk, 10**8)]
        assert [answer.status_code for answer in answers] == [404, 404], address
    house.refresh_from_db()
    assert house.archived_at is None


def test_a_baseline_has_no_form_and_cannot_be_archived(page, organization):
    random = organization.agents.get(slug="random")
    for act, name in ((page.get, "edit"), (page.post, "archive"), (page.post, "test")):
        assert act(f"/agents/{random.pk}/{name}/").status_code == 404
    assert "/archive/" not in page.get("/agents/random/").text


@pytest.mark.long
def test_a_viewer_sees_the_settings_but_cannot_change_them(viewer, page, house, typed):
    page.post(f"/agents/{house.pk}/edit/", typed | {"reasoning_effort": "high"})
    text = viewer.get("/agents/house/").text
    assert "reasoning effort high" in text and "/edit/" not in text and "/archive/" not in text
    page.post(f"/agents/{house.pk}/archive/")
    text = viewer.get("/agents/").text
    assert "1 archived agent" in text and "Unarchive" not in text
    for name in ("edit", "archive", "unarchive"):
        assert viewer.post(f"/agents/{house.pk}/{name}/", typed).status_code == 403


def test_the_agents_page_without_models_says_what_to_do(page, organization):
    models = organization.agents.filter(baseline="")
    models.exclude(slug="gpt-5").delete()
    page.post(f"/agents/{models.get().pk}/archive/")
    assert "All language models are archived." in page.get("/agents/").text
    models.delete()
    assert "No language models yet." in page.get("/agents/").text
    assert "There is no endpoint yet." not in page.get("/agents/new/").text
    organization.endpoints.all().delete()
    assert "There is no endpoint yet." in page.get("/agents/new/").text
