"""Every page whose filters hide finished runs states how many and why, and links to show them."""

import html
import json
import re

import pytest
from django.core.management import call_command
from django.test import Client

from analysis.base.benchmark_filters import TableFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.benchmark.runs import benchmark_records
from analysis.hidden import hidden_runs
from analysis.saved.services import leaderboard_create
from environments.registry import generate
from runs.launching.presets import PRESETS
from runs.models import Agent, Run
from runs.services.experiments import experiment_launch
from sharing.services import share_link_create
from tests.api.conftest import owning, program  # noqa: F401
from tests.preset_plans import plan_of

EQUALITY = "efficiency_vs_equality"


def notice(text):
    """The notice of hidden runs, or an empty text."""
    found = re.search(r'<div class="notice hidden-runs".*?</div>', text, re.DOTALL)
    return found[0] if found else ""


def sentence(text):
    """The sentence about hidden runs as plain text, or an empty text."""
    shown = re.sub(r"<[^>]+>", "", notice(text).partition("<details")[0])
    return " ".join(html.unescape(shown).split())


def offers(text):
    """The links of that notice: what they show, and where they lead."""
    links = re.findall(r'<a href="([^"]+)">([^<]+)</a>', notice(text))
    return {html.unescape(words): html.unescape(address) for address, words in links}


def page_of(client, address):
    response = client.get(address)
    assert response.status_code == 200, address
    return response.text


@pytest.fixture
def launched(organization, alice):
    """The experiment of a preset with one model, as the launch form reads it; its runs are marked as finished."""

    def launch(slug):
        plan = plan_of(next(preset for preset in PRESETS if preset.slug == slug), organization, "gpt-5")
        made = experiment_launch(organization=organization, user=alice, plan=plan)
        made.runs.update(state="finished", score=0.1, metrics={"by_horizon": {}, "reliability": 0.9, "by_name": {}})
        return made

    return launch


@pytest.fixture
def short(run_row):
    """Eight runs shorter than the paper's, four imported, one that every filter shows."""
    for seed in range(8):
        run_row("house", seed=seed, periods=20)
    Agent.objects.create(organization=Run.objects.first().organization, slug="log", name="Log", imported=True)
    for seed in range(4):
        run_row("log", seed=seed, imported=True)
    return run_row("house", 0.7, seed=9)


@pytest.mark.long
def test_the_leaderboard_counts_hidden_runs_by_reason_with_links_to_show_them(page, short):
    text = page_of(page, "/leaderboard/")
    assert sentence(text) == (
        "12 finished runs are hidden: 8 shorter than the paper's (20 of 100 periods), 4 for other reasons."
    )
    shorter, imported = offers(text).values()
    assert (shorter, imported) == (
        "/leaderboard/?periods=20",
        "/leaderboard/?rows=own&rows=baseline&rows=imported&rows=published",
    )
    assert "n = 8 per cell" in page_of(page, shorter)
    assert ">Log<" in page_of(page, imported)
    assert "4 imported" not in sentence(page_of(page, imported))


def test_hidden_and_visible_runs_add_up_to_all_finished_runs(page, short, run_row):
    run_row("other", environment="procurement", difficulty="HARD", variant="known_horizon")
    run_row("text", generator="paper_text", seed=3)
    run_row("going", seed=4, state="running", score=None)
    for chosen in (
        TableFilter(),
        TableFilter(rows=("own",)),
        TableFilter(environments=("procurement",), difficulties=("HARD",)),
        TableFilter(generator="paper_text", periods=20, agents=("house",)),
    ):
        hidden = hidden_runs(organization=short.organization, run_filter=chosen)
        records = benchmark_records(organization=short.organization, table_filter=chosen)
        shown = sum(record.state == "finished" for record in records)
        assert hidden.total + shown == Run.objects.filter(state="finished").count() == 15


@pytest.mark.long
def test_every_active_filter_reports_what_it_hides_and_can_be_undone(page, run_row):
    run_row("house")
    run_row("other", seed=1, state="running", score=None, periods=20)
    for query, words in {
        "environments=pricing&difficulties=HARD": "1 of BASIC",
        "environments=procurement": "1 of pricing",
        "variant=known_horizon": "1 under the prompt",
        "generator=paper_text": "1 with instances as in the published experiments",
        "rows=baseline": "1 of your agents",
        "end=2001-01-01": "1 launched on other days",
        "agents=other": "1 of agents that are not chosen",
        "tag=999": "1 without the tag",
        "periods=20": "1 of 100 instead of 20 periods",
    }.items():
        text = page_of(page, f"/leaderboard/?{query}")
        assert words in sentence(text), sentence(text)
        assert sentence(page_of(page, next(iter(offers(text).values())))) == ""


@pytest.mark.long
def test_runs_with_custom_settings_have_no_column_but_are_in_the_list_of_runs(page, run_row):
    problem = generate("pricing", "BASIC", 0, with_reference=False)
    run = run_row("house", problem=problem)
    type(run.instance).objects.update(difficulty="CUSTOM")
    text = page_of(page, "/leaderboard/")
    assert sentence(text) == "1 finished run is hidden: 1 with custom settings, which have no column."
    (address,) = offers(text).values()
    assert f"/runs/{run.pk}/" in page_of(page, address)


@pytest.mark.long
def test_a_cell_reports_the_runs_that_it_leaves_out(page, short):
    address = "/leaderboard/cell/?agent=house&environment=pricing&difficulty=BASIC"
    text = page_of(page, address)
    assert sentence(text) == "8 finished runs are hidden: 8 shorter than the paper's (20 of 100 periods)."
    (shown,) = offers(text).values()
    assert page_of(page, f"/leaderboard/cell/{shown}").count('<th scope="row">') == 8


@pytest.mark.long
def test_a_saved_leaderboard_links_to_the_page_with_editable_filters(page, short, organization, alice):
    leaderboard = leaderboard_create(
        organization=organization, user=alice, kind="benchmark", name="Long", filters=TableFilter()
    )
    text = page_of(page, f"/leaderboards/{leaderboard.pk}/")
    assert "12 finished runs are hidden" in sentence(text)
    assert offers(text)["8 shorter than the paper's (20 of 100 periods)"] == "/leaderboard/?periods=20"


@pytest.mark.long
def test_a_shared_leaderboard_does_not_reveal_the_number_of_hidden_runs(short, launched, organization, alice):
    launched("patience-quick")
    owner = organization.memberships.get()
    for kind, filters in (("benchmark", TableFilter()), ("litmus", LitmusFilter())):
        leaderboard = leaderboard_create(organization=organization, user=alice, kind=kind, name=kind, filters=filters)
        _, token = share_link_create(actor=owner, target=leaderboard, lasts="30")
        text = page_of(Client(), f"/s/{token}/")
        assert "hidden-runs" not in text and "hidden:" not in text and "are hidden" not in text
        assert "has finished yet" not in text


# Litmus tests


@pytest.mark.long
def test_the_litmus_page_reports_the_hidden_runs_of_the_preset_patience_quick(page, launched):
    runs = launched("patience-quick").runs.count()
    text = page_of(page, "/litmus/?test=patience_vs_impatience")
    assert sentence(text) == f"{runs} finished runs are hidden: {runs} with custom settings."
    assert "No run of patience versus impatience has finished yet." not in text
    (address,) = offers(text).values()
    shown = page_of(page, address)
    assert 'class="name">GPT-5<' in shown
    assert sentence(shown) == "" and "fits these filters" not in shown.partition('id="patience"')[2]


@pytest.mark.long
def test_imported_logs_that_two_filters_hide_are_offered(page, run_row):
    Agent.objects.create(
        organization=run_row("house").organization, slug="log", name="Imported log", imported=True, model="m"
    )
    for seed in range(2):
        problem = generate(EQUALITY, "STANDARD", seed, "paper_text", with_reference=False)
        metrics = {"litmus": 0.3, "revenue": 1.0, "inequality": 1.0, "frontier_distance": 0.1, "frontier_share": 0.9}
        run_row("log", 0.3, problem=problem, periods=30, imported=True, metrics=metrics)
    text = page_of(page, "/litmus/")
    words = "2 with instances as in the text of the paper, imported"
    assert sentence(text) == f"2 finished runs are hidden: {words}."
    shown = page_of(page, offers(text)[words])
    assert ">Imported log<" in shown
    assert "no efficiency or equality log was imported" in shown and "was launched" not in shown


def test_counting_hidden_runs_takes_two_queries(short, organization, django_assert_num_queries):
    for chosen in (TableFilter(tag=1, agents=("house",)), LitmusFilter(tag=1, experiment=1)):
        with django_assert_num_queries(2):
            hidden_runs(organization=organization, run_filter=chosen)


@pytest.mark.sampled
@pytest.mark.parametrize("slug", ["quick", "paper", "horizon", "equality-quick", "collusion-quick"])
def test_the_results_of_every_preset_are_visible_or_a_click_away(page, launched, slug):
    made = launched(slug)
    litmus = made.runs.filter(instance__environment__contains="_vs_").exists()
    text = page_of(page, "/litmus/" if litmus else "/leaderboard/")
    name = made.runs.select_related("agent").first().agent.name
    addresses = ["/litmus/" if litmus else "/leaderboard/", *offers(text).values()]
    assert any(f">{name}<" in page_of(page, address) for address in addresses)


def test_hidden_runs_of_another_organization_are_not_counted(page, run_row, other):
    run_row("theirs", organization=other.organization, periods=20)
    assert sentence(page_of(page, "/leaderboard/")) == ""


# The other doors


ANSWERS = ("/leaderboard/?", "/compare/?agents=a&agents=b&", "/behaviour/?", "/trends/?")


@pytest.fixture
def shorter(run_row):
    """Two agents that finished nine instances of 30 periods, and nothing else; a third agent that no test selects."""
    for seed in range(9):
        run_row("a", 0.3, seed=seed, periods=30)
        run_row("b", 0.5, seed=seed, periods=30)
    run_row("third", 0.9, seed=0, periods=40)


@pytest.mark.sampled
@pytest.mark.parametrize("address", ANSWERS)
def test_every_page_with_leaderboard_filters_reports_what_they_hide(page, shorter, address):
    text = page_of(page, address)
    assert "18 shorter than the paper's (30 of 100 periods)" in sentence(text)
    (shown, *_) = offers(text).values()
    assert shown.startswith(address.partition("?")[0]) and "periods=30" in shown
    assert "(30 of" not in sentence(page_of(page, shown))


def test_a_comparison_counts_only_hidden_runs_of_its_agents(page, shorter):
    text = page_of(page, "/compare/?agents=a&agents=b")
    assert sentence(text) == "18 finished runs are hidden: 18 shorter than the paper's (30 of 100 periods)."
    assert "b scores 20.0 points more than a" in page_of(page, offers(text).popitem()[1])
    assert sentence(page_of(page, "/compare/?agents=a")) == "", "one agent is no comparison"


@pytest.mark.long
def test_the_api_reports_what_a_filter_hides_and_how_to_include_it(owning, shorter):  # noqa: F811
    answer = owning.get("/compare?agents=a&agents=b").json()
    assert answer["comparisons"] == [] and answer["hidden"]["runs"] == 18
    assert answer["hidden"]["sentence"].startswith("18 finished runs are hidden: 18 shorter")
    (shown,) = owning.get(f"/compare?{answer['hidden']['query']}").json()["comparisons"]
    assert shown["n"] == 9
    for address in ("/leaderboards/benchmark", "/behaviour"):
        hidden = owning.get(address).json()["hidden"]
        assert hidden["runs"] == 19 and "periods=30" in hidden["query"], address
    assert owning.get("/leaderboards/litmus").json()["hidden"] == {"runs": 0, "sentence": "", "query": None}


@pytest.mark.long
def test_the_commands_report_what_a_filter_hides_and_the_option_to_include_it(shorter, run_row, capsys):
    run_row("a", 0.1, seed=50)
    run_row("b", 0.1, seed=51)
    words = "18 finished runs are hidden: 18 shorter than the paper's (30 of 100 periods). Show the 18 by --periods 30."
    for command in (("compare", "a", "b"), ("compare", "--a", "a", "--b", "b")):
        call_command(*command)
        said = capsys.readouterr().out
        assert "have finished no instance in common that fits the filters" in said and words in said, said
        call_command(*command, "--periods", "30")
        assert "b scores 20.0 points more than a" in capsys.readouterr().out
    call_command("compare", "--a", "a", "--b", "b", "--json")
    assert json.loads(capsys.readouterr().out)["hidden"]["sentence"] == words
    call_command("leaderboard")
    assert "Show the 18 by --periods 30." in capsys.readouterr().out
    call_command("table", "leaderboard")
    shown = capsys.readouterr()
    assert "hidden" not in shown.out and "by --periods 30." in shown.err


def test_a_command_option_includes_hidden_litmus_runs(run_row, capsys):
    for agent in "ab":
        run_row(agent, environment=EQUALITY, difficulty="STANDARD", periods=5)
    call_command("compare", "a", "b", "--litmus")
    assert "2 shorter than the paper's. Show the 2 by --scope all." in capsys.readouterr().out
    call_command("compare", "a", "b", "--litmus", "--scope", "all")
    assert "hidden" not in capsys.readouterr().out


def test_a_report_states_what_its_filters_hide(page, shorter):
    report = b"".join(page.get("/compare/report/?agents=a&agents=b").streaming_content).decode()
    assert "18 finished runs are hidden: 18 shorter than the paper" in report


def test_trends_do_not_count_baselines_as_hidden(page, run_row, organization):
    baseline = run_row("random")
    Agent.objects.filter(pk=baseline.agent_id).update(baseline="random")
    assert sentence(page_of(page, "/trends/")) == ""
