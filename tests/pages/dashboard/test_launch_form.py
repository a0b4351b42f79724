"""Launching from the browser: typed values are kept, and errors appear beside their field."""

import re

import pytest

from agents.baselines.registry import baselines_of
from tests.cast import LAUNCH_FORM
from tests.prompts import prompt_of


def test_a_valid_form_launches_and_opens_the_experiment(page, organization):
    response = page.post("/experiments/new/", LAUNCH_FORM | {"budget": "2.50", "run_budget": "0.75"})
    experiment = organization.experiments.get()
    assert response["Location"] == f"/experiments/{experiment.pk}/"
    assert experiment.name == "Two baselines"
    assert experiment.budget_nano == 2_500_000_000
    assert experiment.runs.count() == 4
    assert set(experiment.runs.values_list("budget_nano", flat=True)) == {750_000_000}


@pytest.mark.long
def test_an_invalid_field_is_explained_and_the_others_are_kept(page, organization):
    for field, value, sentence in (
        ("seeds", "5-2", "runs backwards"),
        ("seeds", "", "Give at least one seed"),
        ("seeds", '"><script>', 'value="&quot;&gt;&lt;script&gt;"'),
        ("periods", "0", "at least 1"),
        ("periods", "101", "1 to 100 periods"),
        ("periods", "many", "whole number"),
        ("agents", [], "at least one agent"),
        ("environments", [], "at least one environment"),
        ("budget", "a lot", "amount in dollars"),
        ("run_budget", "0", "at least one cent"),
        ("agents", ["nobody"], "no longer exists"),
    ):
        response = page.post("/experiments/new/", LAUNCH_FORM | {field: value})
        form = response.text.split("<form", 1)[1]
        assert response.status_code == 422, field
        assert sentence in form and 'value="Two baselines"' in form and "<script>" not in form, sentence
    assert not organization.experiments.exists()


def test_custom_settings_are_validated_one_by_one(page, organization):
    custom = {"difficulties": ["CUSTOM"], "custom_pricing_products": "500", "custom_pricing_nests": "1"}
    assert "between 1 and 50" in page.post("/experiments/new/", LAUNCH_FORM | custom).text
    page.post("/experiments/new/", LAUNCH_FORM | custom | {"custom_pricing_products": "3"})
    assert organization.experiments.get().spec["settings"] == {"products": 3, "nests": 1}


def test_the_preview_states_runs_and_command_without_launching(page, organization):
    text = page.post("/experiments/new/preview/", LAUNCH_FORM).text
    assert "Launch 4 runs" in text and "bin/econevals launch --environment pricing" in text
    assert not organization.experiments.exists()


def test_a_preset_keeps_agents_and_name_without_launching(page, organization):
    text = page.post("/experiments/new/fill/", LAUNCH_FORM | {"preset": "paper"}).text
    assert 'value="0-11"' in text and 'value="Two baselines"' in text
    assert not organization.experiments.exists()


def test_an_address_duplicates_an_experiment(page, organization):
    page.post("/experiments/new/", LAUNCH_FORM | {"run_budget": "0.75"})
    experiment = organization.experiments.get()
    text = page.get(f"/experiments/new/?from={experiment.pk}").text
    assert 'value="Two baselines (again)"' in text and "Launch 4 runs" in text and "--run-budget 0.75" in text


@pytest.mark.long
def test_an_unfinished_launch_is_continued_or_discarded(page, viewer, organization):
    assert "unfinished" not in page.get("/experiments/new/").text
    page.post("/experiments/new/preview/", LAUNCH_FORM | {"name": "Half a thought", "seeds": "0-"})
    assert "You left a launch unfinished." in page.get("/experiments/new/").text
    text = page.get("/experiments/new/?draft=1").text
    assert 'value="Half a thought"' in text and 'value="0-"' in text and "unfinished" not in text
    page.post("/experiments/new/fill/", LAUNCH_FORM | {"preset": "paper", "name": "Half a thought"})
    assert 'value="0-11"' in page.get("/experiments/new/?draft=1").text
    page.post("/experiments/new/discard/")
    assert "Half a thought" not in page.get("/experiments/new/?draft=1").text
    page.post("/experiments/new/preview/", LAUNCH_FORM)
    page.post("/experiments/new/", LAUNCH_FORM)
    assert "unfinished" not in page.get("/experiments/new/").text and organization.experiments.count() == 1


def test_a_launch_with_an_own_prompt_preselects_no_baseline(page, organization):
    prompt = prompt_of(organization, system="Sell at good prices.")
    text = page.get(f"/experiments/new/?environment={prompt.environment}&variant=main%2B{prompt.slug}").text
    assert not re.search(r'name="agents"[^>]*checked', text) and f'value="main+{prompt.slug}"' in text
    assert re.search(r'name="agents"[^>]*checked', page.get("/experiments/new/").text)


def test_the_second_seat_appears_for_markets_and_lists_their_agents(page, organization):
    text = page.get("/experiments/new/").text
    field = text[text.index('<select name="rival"') :].partition("</select>")[0]
    assert 'data-only-for="environments collusiveness_vs_competitiveness"' in field
    listed = set(re.findall(r'value="([^"]+)"', field))
    baselines = set(organization.agents.exclude(baseline="").values_list("slug", flat=True))
    assert "gpt-5" in listed
    assert listed & baselines == {*baselines_of("collusiveness_vs_competitiveness")} & baselines
    assert "collusion-nash" in listed and "scheduling-knuth" not in listed
    own = page.get("/play/").text
    assert 'data-only-for="game collusiveness_vs_competitiveness"' in own
