"""Retired models: warnings 60 days before, refusals from the date on, and uncertain cases."""

from datetime import date

import pytest
from django.core.management import call_command

from runs.catalog import catalog, current_models, maker_url
from runs.launching.plan import LaunchError
from runs.models import Agent, Experiment
from runs.retirement import launch_error, retirement_of
from runs.services import agent_create

DATE = date(2026, 11, 30)
WARNING = "Will be retired by its maker on 30 November 2026; its successor is claude-sonnet-5-5."
REFUSAL = (
    "Claude 4.5 Sonnet cannot be launched, because its model was retired on 30 November 2026; the successor is "
    "claude-sonnet-5-5."
)
DAYS = {date(2026, 10, 1): "", date(2026, 10, 2): "", date(2026, 11, 29): "", DATE: REFUSAL, date(2030, 1, 1): REFUSAL}


@pytest.fixture
def sonnet(agent):
    return agent("claude-4-5-sonnet")


@pytest.fixture
def asking(organization):
    """An agent that asks an address of ours for a model by this id; it is not stored."""

    def asking(model, base_url, provider="openai-compatible"):
        endpoint = organization.endpoints.model(organization=organization, provider=provider, base_url=base_url)
        return Agent(organization=organization, name="House", provider=provider, model=model, endpoint=endpoint)

    return asking


def test_every_model_of_the_papers_has_a_successor_on_offer():
    offered = {(model.maker, model.model) for model in current_models()}
    for row in catalog()["llms"]:
        assert (row["provider"], row["replaced_by"]) in offered, row["model"]
    dates = [row["retires_on"] for row in catalog()["llms"] if row["retires_on"]]
    gone_by = [sum(day <= limit for day in dates) for limit in ("2026-11-26", "2026-12-11", "2027-01-14")]
    assert gone_by == [8, 13, 15]


def test_a_warning_begins_60_days_before_the_date_and_ends_with_it(sonnet):
    assert retirement_of(sonnet, date(2026, 9, 30)).sentence == ""
    soon = retirement_of(sonnet, date(2026, 10, 1))
    assert (soon.warns, soon.is_retired, soon.sentence) == (True, False, WARNING)
    gone = retirement_of(sonnet, DATE)
    assert (gone.warns, gone.is_retired) == (False, True)
    assert gone.sentence == "Retired on 30 November 2026; its successor is claude-sonnet-5-5."


def test_baselines_and_models_without_a_date_are_not_retired(agent):
    for slug in ("random", "claude-4-5-haiku"):
        assert retirement_of(agent(slug)) is None


@pytest.mark.parametrize(
    ("model", "base_url", "doubt"),
    [
        ("gemini-2.5-pro", maker_url("google"), ""),
        ("models/gemini-2.5-pro", maker_url("google"), ""),
        ("gpt-5", "https://eu.api.openai.com/v1", ""),
        ("gpt-4o", "https://api.openai.com/v1", "gpt-4o may stand for another snapshot"),
        ("google/gemini-2.5-pro", "https://openrouter.ai/api/v1", "Another server may keep it longer"),
        ("gpt-5-2025-08-07", "https://lab.openai.azure.com/openai/v1", "Another server may keep it longer"),
        ("gpt-5-2025-08-07", "https://api.openai.com.example.org/v1", "Another server may keep it longer"),
        ("gpt-5-2025-08-07", "http://127.0.0.1:8080/v1", "Another server may keep it longer"),
    ],
)
def test_a_retired_model_is_refused_only_at_the_address_of_its_maker(asking, model, base_url, doubt):
    later = retirement_of(asking(model, base_url), date(2028, 1, 1))
    assert later.is_retired == (not doubt) and later.warns == bool(doubt)
    assert doubt in later.sentence and "etired " in later.sentence


@pytest.mark.parametrize("model", ["gpt-5-mini-high", "gpt-5-nano", "gpt", "", "gemini-2.5-pro-tts", "house-1"])
def test_a_model_with_a_similar_id_is_not_retired(asking, model):
    assert retirement_of(asking(model, "https://api.openai.com/v1"), date(2028, 1, 1)) is None


@pytest.mark.parametrize("day", DAYS)
def test_a_plan_is_refused_from_the_retirement_date(plan, today_is, day):
    today_is(day)
    if not DAYS[day]:
        assert plan("claude-4-5-sonnet", "random").runs
        return
    with pytest.raises(LaunchError) as error:
        plan("random", "claude-4-5-sonnet")
    assert error.value.errors == {"agents": DAYS[day]}


def test_a_retired_model_cannot_hold_the_second_seat(plan, today_is, sonnet):
    today_is(DATE)
    market = {"environments": ("collusiveness_vs_competitiveness",), "difficulties": ("STANDARD",)}
    with pytest.raises(LaunchError) as error:
        plan("collusion-nash", rival=sonnet, **market)
    assert error.value.errors == {"rival": REFUSAL}


@pytest.mark.parametrize("door", ["options", "file", "ad hoc", "estimate"])
def test_commands_refuse_a_retired_model(today_is, organization, sonnet, tmp_path, capsys, door):
    file = tmp_path / "launch.yaml"
    file.write_text("{environments: [pricing], difficulties: [BASIC], seeds: '0', agents: [claude-4-5-sonnet]}")
    matrix = ("--environment", "pricing", "--difficulty", "BASIC", "--seeds", "0", "--agent")
    words = {
        "options": ("launch", *matrix, sonnet.slug),
        "file": ("launch", str(file)),
        "ad hoc": ("launch", *matrix, f"anthropic:{sonnet.model}"),
        "estimate": ("estimate", *matrix, sonnet.slug),
    }[door]
    today_is(DATE)
    with pytest.raises(SystemExit) as exit:
        call_command(*words)
    said = capsys.readouterr().err
    assert exit.value.code == 2 and "was retired on 30 November 2026; the successor is claude-sonnet-5-5." in said
    assert not Experiment.objects.exists()


def test_runs_launched_before_the_date_stay(launch, today_is, sonnet):
    run = launch("claude-4-5-sonnet").runs.get()
    today_is(DATE)
    run.refresh_from_db()
    assert (run.state, run.agent, launch_error(sonnet)) == ("queued", sonnet, REFUSAL)


def test_an_agent_of_the_successor_can_be_launched(organization, today_is, plan):
    endpoint = organization.endpoints.get(name="Anthropic")
    agent_create(
        organization=organization, name="Successor", endpoint=endpoint, model="claude-sonnet-5-5", reasoning=True
    )
    today_is(date(2030, 1, 1))
    assert plan("successor").runs
