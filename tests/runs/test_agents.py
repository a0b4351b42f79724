"""Agents are edited until they play, duplicated, and archived; runs keep the settings with which they were played."""

import re
from datetime import date
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from accounts.models import AuditEntry
from runs.launching.adhoc import agent_from_text
from runs.launching.plan import LaunchError
from runs.list_prices import SOURCE
from runs.services import agent_archive, agent_create, agent_unarchive, agent_update, experiment_launch
from runs.services.agents import FROZEN, duplicate_values
from tests.cast import play_all
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider


@pytest.fixture
def house(organization):
    """An agent without runs."""
    endpoint = organization.endpoints.get(name="OpenAI")
    return agent_create(organization=organization, name="House", endpoint=endpoint, model="gpt-5")


def sentences(act, **values):
    with pytest.raises(ValidationError) as caught:
        act(**values)
    return {field: " ".join(told) for field, told in caught.value.message_dict.items()}


def audited():
    return list(AuditEntry.objects.filter(action__startswith="agent.").values_list("action", "subject", "actor_name"))


OTHER_SETTINGS = {
    "model": "gpt-5-nano",
    "reasoning": True,
    "reasoning_effort": "low",
    "temperature": 0.0,
    "max_tokens": 8000,
    "extra_parameters": {"seed": 7},
}


def test_an_agent_without_runs_can_be_changed_in_a_single_audit_entry(house, alice, organization):
    anthropic = organization.endpoints.get(name="Anthropic")
    values = OTHER_SETTINGS | {"endpoint": anthropic, "calls_at_once": 3, "release_date": date(2026, 1, 31)}
    agent_update(agent=house, actor=alice, name=" Haus ", **values)
    house.refresh_from_db()
    assert {name: getattr(house, name) for name in values} == values
    assert (house.name, house.slug, house.provider) == ("Haus", "house", "anthropic")
    ((action, subject, actor),) = audited()
    assert (action, actor) == ("agent.changed", "alice")
    assert subject.startswith("House: name House → Haus; endpoint OpenAI → Anthropic; model id gpt-5 → gpt-5-nano; ")
    assert "temperature 1.0 → 0.0" in subject and "extra parameters none → seed" in subject


def test_an_empty_change_is_not_recorded(house):
    agent_update(agent=house, name=house.name, model=house.model)
    assert audited() == []


@pytest.mark.parametrize("seat", ["agent", "rival"])
def test_an_agent_with_a_run_keeps_the_settings_that_define_its_play(house, launch, organization, seat):
    game = {"environments": ("collusiveness_vs_competitiveness",), "difficulties": ("STANDARD",)}
    if seat == "agent":
        launch(house.slug)
    else:
        launch("collusion-nash", rival=house, **game)
    values = OTHER_SETTINGS | {"endpoint": organization.endpoints.get(name="Anthropic")}
    assert set(values) == set(FROZEN)
    told = sentences(agent_update, agent=house, name="Other", **values)
    assert set(told) == set(FROZEN) and all("Duplicate the agent instead." in sentence for sentence in told.values())
    house.refresh_from_db()
    assert (house.name, house.model) == ("House", "gpt-5")
    agent_update(agent=house, name="Other", calls_at_once=1, release_date=date(2026, 1, 31), output_price=Decimal(9))
    house.refresh_from_db()
    assert (house.name, house.calls_at_once, house.output_price) == ("Other", 1, 9)


def test_an_agent_can_be_changed_after_its_experiments_are_deleted(house, launch):
    launch(house.slug).delete()
    agent_update(agent=house, model="gpt-5-nano")


def test_a_run_stores_its_effort_and_extra_parameters(launch, model_agent):
    chosen = {"reasoning_effort": "high", "extra_parameters": {"top_p": 0.9}}
    with StubProvider(ScriptedPlayer()) as stub:
        run = launch(model_agent(stub, **chosen).slug).runs.get()
    assert {name: run.config["player"][name] for name in chosen} == chosen


def test_a_launch_stores_the_current_settings_of_an_agent(house, plan, organization, alice):
    older = plan("house")
    agent_update(agent=house, reasoning_effort="low")
    run = experiment_launch(organization=organization, user=alice, plan=older).runs.get()
    assert run.config["player"]["reasoning_effort"] == "low"


def test_every_invalid_setting_gets_a_sentence(house, other):
    foreign = other.organization.endpoints.first()
    told = sentences(
        agent_update,
        agent=house,
        name="gpt-5",
        endpoint=foreign,
        reasoning_effort="utmost",
        temperature=3,
        calls_at_once=0,
        extra_parameters={"stream": True},
        release_date=date(1999, 1, 1),
        input_price=Decimal(-1),
    )
    assert told == {
        "name": "There is an agent of this name already.",
        "endpoint": "Choose one of your endpoints.",
        "reasoning_effort": "The reasoning effort is none, minimal, low, medium, high, xhigh, max, or empty.",
        "temperature": "The temperature lies between 0 and 2.",
        "calls_at_once": "The calls at once lie between 1 and 10,000.",
        "extra_parameters": "stream is set by EconEvals or by a field of its own; leave it out here.",
        "release_date": "A release date lies between 2000 and 2100.",
        "input_price": "A price is between $0 and $10,000 per million tokens.",
    }
    assert audited() == []


def test_a_baseline_can_be_neither_changed_nor_archived(agent):
    for act, values in ((agent_update, {"name": "Luck"}), (agent_archive, {})):
        with pytest.raises(ValidationError, match="Only language models at your endpoints"):
            act(agent=agent("random"), **values)


def test_list_prices_follow_the_model_and_entered_prices_stay(house, organization):
    assert house.price_source == f"{SOURCE}: openai/gpt-5"
    agent_update(agent=house, model="gpt-5-nano")
    assert house.price_source == f"{SOURCE}: openai/gpt-5-nano"
    agent_update(agent=house, model="house-1")
    assert not house.is_priced and house.price_source == ""
    agent_update(agent=house, input_price=Decimal(1), output_price=Decimal(2))
    agent_update(agent=house, model="gpt-5-nano")
    assert (house.input_price, house.output_price, house.price_source) == (1, 2, "")
    agent_update(agent=house, input_price=None, cached_price=None, output_price=None)
    assert house.price_source == f"{SOURCE}: openai/gpt-5-nano"


def test_changing_a_price_keeps_the_other_list_prices(house):
    listed = (house.input_price, house.cached_price)
    agent_update(agent=house, output_price=Decimal(8))
    assert (house.input_price, house.cached_price, house.output_price) == (*listed, 8)
    assert house.price_source == ""


def test_entered_prices_keep_their_date_while_other_settings_change(house):
    agent_update(agent=house, input_price=Decimal(1), output_price=Decimal(2))
    type(house).objects.update(priced_on=date(2026, 1, 31))
    same = {name: getattr(house, name) for name in ("input_price", "cached_price", "output_price")}
    agent_update(agent=house, calls_at_once=2, **same)
    assert house.priced_on == date(2026, 1, 31)
    assert audited()[-1][1] == "House: calls at once none → 2"


def test_a_model_missing_from_the_list_has_no_price(house):
    agent_update(agent=house, model="house-1", input_price=Decimal(1))
    with pytest.raises(ValidationError, match="does not know this model"):
        agent_update(agent=house, from_list=True)
    house.refresh_from_db()
    assert house.input_price == 1


def test_a_duplicate_has_the_same_settings_under_a_free_name(house, organization):
    agent_update(agent=house, **OTHER_SETTINGS)
    names = []
    for _ in range(3):
        values = duplicate_values(house)
        names.append(agent_create(organization=organization, **values).slug)
    assert names == ["house-2", "house-3", "house-4"]
    copied = organization.agents.get(slug="house-3")
    assert {name: getattr(copied, name) for name in FROZEN} == {name: getattr(house, name) for name in FROZEN}
    assert copied.price_source == house.price_source


def test_a_former_name_is_free_but_its_slug_is_reserved(house, organization):
    agent_update(agent=house, name="Old house")
    new = agent_create(organization=organization, name="House", endpoint=house.endpoint, model="gpt-5")
    assert (new.slug, house.slug) == ("house-2", "house")
    page = agent_create(organization=organization, name="Endpoints", endpoint=house.endpoint, model="gpt-5")
    assert page.slug == "endpoints-2"


def test_an_archived_agent_cannot_be_launched_in_any_seat(house, plan, alice, organization):
    agent_archive(agent=house, actor=alice)
    agent_archive(agent=house, actor=alice)
    game = {"environments": ("collusiveness_vs_competitiveness",), "difficulties": ("STANDARD",)}
    told = "House is archived. Unarchive it on its page to launch it."
    for field, slugs, options in (("agents", ("house", "random"), {}), ("rival", ("collusion-nash",), game)):
        archived = {"rival": house} if field == "rival" else {}
        with pytest.raises(LaunchError) as refused:
            plan(*slugs, **options, **archived)
        assert refused.value.errors == {field: told}
    with pytest.raises(LaunchError, match="There is no agent 'nobody'") as refused:
        agent_from_text("nobody", organization)
    assert "house" not in str(refused.value)
    agent_unarchive(agent=house, actor=alice)
    assert plan("house").runs
    assert [action for action, *_ in audited()] == ["agent.archived", "agent.unarchived"]


def test_runs_of_an_archived_agent_continue(launch, model_agent):
    with StubProvider(ScriptedPlayer()) as stub:
        agent = model_agent(stub)
        experiment = launch(agent.slug)
        agent_archive(agent=agent)
        play_all(experiment)
    assert experiment.runs.get().state == "finished"


def test_agents_with_names_in_other_scripts_get_unique_slugs(house):
    names = ("通义千问", "文心一言", "ГигаЧат", "دانش")
    made = [
        agent_create(organization=house.organization, name=name, endpoint=house.endpoint, model="m") for name in names
    ]
    slugs = {agent.slug for agent in made}
    assert len(slugs) == 4 and all(re.fullmatch("agent-[0-9a-f]{6}", slug) for slug in slugs)
    wrong = sentences(agent_create, organization=house.organization, name="…", endpoint=house.endpoint, model="m")
    assert "letter or digit" in wrong["name"]
