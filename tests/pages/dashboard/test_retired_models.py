"""Retired models on pages, and the form of an agent that offers current ones."""

import re
from datetime import date

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from runs.models import Agent
from tests.cast import LAUNCH_FORM

SOON, GONE = date(2026, 10, 15), date(2026, 11, 30)
WARNING = "Will be retired by its maker on 30 November 2026; its successor is claude-sonnet-5-5."
REFUSAL = "Claude 4.5 Sonnet cannot be launched, because its model was retired on 30 November 2026;"
FILE = b"{environments: [pricing], difficulties: [BASIC], seeds: '0', agents: [claude-4-5-sonnet]}"
OFFERED = 'name="agents" value="claude-4-5-sonnet"'


@pytest.fixture
def anthropic(organization):
    return organization.endpoints.get(name="Anthropic")


@pytest.mark.parametrize("address", ["/agents/", "/agents/claude-4-5-sonnet/"])
def test_pages_warn_before_retirement_and_mark_the_agent_afterwards(page, today_is, anthropic, address):
    assert "claude-sonnet-5-5" not in page.get(address).text
    today_is(SOON)
    text = page.get(address).text
    assert WARNING in text and f'href="/agents/new/?endpoint={anthropic.pk}&amp;model=claude-sonnet-5-5"' in text
    today_is(GONE)
    text = page.get(address).text
    assert "Retired on 30 November 2026; its successor is claude-sonnet-5-5." in text
    assert "/experiments/new/?agent=claude-4-5-sonnet" not in text


def test_a_viewer_reads_the_warning_without_the_link(viewer, today_is):
    today_is(SOON)
    text = viewer.get("/agents/claude-4-5-sonnet/").text
    assert WARNING in text and "/agents/new/" not in text


def test_the_launch_form_warns_beside_the_agent_and_then_removes_it(page, today_is):
    today_is(SOON)
    text = page.get("/experiments/new/").text
    assert OFFERED in text and WARNING in text
    today_is(GONE)
    text = page.get("/experiments/new/").text
    assert OFFERED not in text and '<option value="claude-4-5-sonnet"' not in text
    assert 'name="agents" value="claude-4-5-haiku"' in text


def test_form_preview_and_file_refuse_a_retired_model(page, today_is, organization):
    today_is(GONE)
    typed = LAUNCH_FORM | {"agents": ["claude-4-5-sonnet"]}
    answer = page.post("/experiments/new/", typed)
    assert answer.status_code == 422 and REFUSAL in answer.text and f"{OFFERED} checked" in answer.text
    assert REFUSAL in page.post("/experiments/new/preview/", typed).text
    answer = page.post("/experiments/new/file/", {"file": SimpleUploadedFile("launch.yaml", FILE)})
    assert answer.status_code == 422 and REFUSAL in answer.text
    assert not organization.experiments.exists()


def test_an_old_launch_of_a_retired_model_stays_readable(page, today_is, launch):
    experiment = launch("claude-4-5-sonnet")
    today_is(GONE)
    assert f"{OFFERED} checked" in page.get(f"/experiments/new/?from={experiment.pk}").text
    assert page.get(f"/experiments/{experiment.pk}/").status_code == 200


def test_the_form_of_an_agent_offers_current_models_with_price_and_context(page, organization):
    text = page.get("/agents/new/").text
    openai = organization.endpoints.get(name="OpenAI")
    link = f'href="/agents/new/\\?endpoint={openai.pk}&amp;model=gpt-6.2-sol">\\s*GPT-6.2 Sol '
    assert re.search(f'{link}<span class="chip-note">\\$2.00 / \\$10.00, 1.05 M</span>', text)
    for name in ("Claude Opus 5.5", "Gemini 4 Argon", "Grok 4.7"):
        assert f"{name} <span" in text
    assert "DeepSeek" not in text, "there is no endpoint for it"
    suggested = page.get("/agents/list-prices/", {"endpoint": openai.pk}).text
    first = re.findall(r'<option value="([^"]+)"', suggested)[:4]
    assert set(first) == {"gpt-6.2-astra", "gpt-6.2-sol", "gpt-6.1-terra", "gpt-6-luna"}


def test_choosing_a_current_model_fills_the_form_in(page, anthropic):
    address = f"/agents/new/?endpoint={anthropic.pk}&model=claude-opus-5-5"
    text = page.get(address).text
    for name, value in {"name": "Claude Opus 5.5", "model": "claude-opus-5-5", "release_date": "2026-09-22"}.items():
        assert re.search(f'name="{name}" value="{value}"', text), name
    assert re.search(r'name="reasoning"[^>]* checked', text) and 'name="temperature" value' not in text
    assert f'<option value="{anthropic.pk}" selected' in text and 'placeholder="4"' in text
    assert "Filled in for claude-opus-5-5. Nothing is added yet." in text
    typed = {"name": "Claude Opus 5.5", "endpoint": anthropic.pk, "model": "claude-opus-5-5", "reasoning": "on"}
    page.post(address, typed)
    agent = Agent.objects.get(name="Claude Opus 5.5")
    assert (agent.reasoning, agent.temperature, agent.output_price) == (True, None, 20)
    assert 'name="name" value="Claude Opus 5.5 2"' in page.get(address).text


def test_an_unknown_model_or_a_foreign_endpoint_fills_in_only_the_id(page, other):
    foreign = other.organization.endpoints.create(name="Theirs", provider="anthropic")
    for model, endpoint in (("house-1", ""), ("house-1", foreign.pk), ("house-1", "x")):
        text = page.get("/agents/new/", {"model": model, "endpoint": endpoint}).text
        assert 'name="model" value="house-1"' in text and "Theirs" not in text


def test_the_launch_form_says_that_a_budget_excludes_models_without_a_price(page, organization):
    endpoint = organization.endpoints.get(name="OpenAI")
    page.post("/agents/new/", {"name": "House", "endpoint": endpoint.pk, "model": "house-1"})
    typed = LAUNCH_FORM | {"agents": ["house"], "periods": "1"}
    sentence = (
        "No price is known for House, so a budget could not limit the cost: enter a price on the agent&#x27;s page"
    )
    assert sentence in page.post("/experiments/new/preview/", typed | {"budget": "5"}).text
    answer = page.post("/experiments/new/", typed | {"run_budget": "5"})
    assert answer.status_code == 422 and sentence in answer.text
    assert sentence not in page.post("/experiments/new/preview/", typed).text


def test_the_launch_form_reports_a_changed_list_price_and_the_agent_can_adopt_it(page, organization, monkeypatch):
    google = organization.endpoints.get(name="Google")
    monkeypatch.setattr("runs.list_prices.today", lambda: date(2026, 11, 30))
    page.post("/agents/new/", {"name": "Argon", "endpoint": google.pk, "model": "gemini-4-argon"})
    agent = Agent.objects.get(slug="argon")
    edit = f"/agents/{agent.pk}/edit/"
    assert "Save with the list price" not in page.get(edit).text
    monkeypatch.setattr("runs.list_prices.today", lambda: date(2026, 12, 1))
    text = page.post("/experiments/new/preview/", LAUNCH_FORM | {"agents": ["argon"], "periods": "1"}).text
    assert "has changed since 10 November 2026: $2.00/$10.00 → $4.00/$20.00 per million tokens;" in text
    assert f'href="{edit}">Edit Argon</a>' in text
    assert "Save with the list price: $4.00 in" in page.get(edit).text
