"""Runs of outside agents and people on the pages, in the API and in exports: separated by class."""

import csv
import json

import pytest

from runs.episodes.models import Episode
from runs.findings.selectors import agent_table
from runs.findings.services import FINDINGS
from tests.runs.episodes.conftest import RestSeat

MCP = {"kind": "mcp", "name": "Claude Code", "version": "2.1", "model": "claude-opus-4-5"}


@pytest.fixture
def run(opened):
    """Play an episode of pricing to its end, or for so many of its two periods; its run."""

    def play(periods=2, seed=0, harness=MCP):
        answer = opened(seed=seed, periods=2, harness=harness)
        for period in range(periods):
            RestSeat(answer["token"]).act(period, {"Product_1": 5})
        return Episode.objects.get(pk=answer["id"]).run

    return play


@pytest.mark.long
def test_outside_agents_and_people_have_a_list_of_their_own(page, run):
    assert "Nobody from outside has played yet." in page.get("/agents/outside/").text
    agents = [run().agent, run(harness={"kind": "human", "name": "Ada"}).agent]
    text = page.get("/agents/outside/").text
    assert "Nobody from outside" not in text
    for agent, word in zip(agents, ("Outside agent", "Person (declared)"), strict=True):
        assert f'href="/agents/{agent.slug}/"' in text and word in text
    assert "claude-opus-4-5" in text


@pytest.mark.long
def test_an_outside_agent_has_a_page_without_settings(page, run):
    agent = run().agent
    text = page.get(f"/agents/{agent.slug}/").text.partition("<main")[2]
    assert "not known here" in text and "$0.00" not in text
    assert "outside agent" in text and "model as declared: <code>claude-opus-4-5</code>" in text
    for word in ("language model", "temperature", "release date", "Test connection"):
        assert word not in text
    for address in ("edit/", "test/", "archive/"):
        post = page.get if address == "edit/" else page.post
        assert post(f"/agents/{agent.pk}/{address}").status_code == 404


@pytest.mark.sampled
@pytest.mark.parametrize(("periods", "state"), [(1, "Running: in play"), (2, "Finished")])
def test_the_page_of_an_episode_describes_the_player_without_model_terms(page, run, periods, state):
    found = run(periods)
    text = page.get(f"/runs/{found.pk}/").text
    assert state in text and "outside agent by MCP" in text and "model as declared claude-opus-4-5" in text
    assert "made elsewhere" in text and "not known here" in text
    for word in ("no price known", "Budget", "Ledger", "Pause", "Resume", "Retry", "model call.", "appear below"):
        assert word not in text
    assert ("access tokens stop working" in text) == (state == "Running: in play")
    person = page.get(f"/runs/{run(harness={'kind': 'human', 'name': 'Ada'}).pk}/").text
    assert "person (declared)" in person and "outside agent by" not in person


@pytest.mark.long
def test_an_experiment_of_episodes_offers_no_actions_of_launches(page, run, owner):
    found = run(1).experiment
    text = page.get(f"/experiments/{found.pk}/").text.partition("<main")[2]
    assert "1 running (in play)" in text and "opened" in text and "Their tokens" not in text
    for word in (
        "Pause</button>",
        "Duplicate",
        "Budget",
        "Ledger of its calls",
        "forecast at launch",
        " left<",
        "$0.00",
    ):
        assert word not in text.partition("All runs")[0], word
    assert "Launch it again" not in page.get("/").text


def test_games_are_neither_experiments_nor_runs_of_lists_nor_on_home(page, run):
    found = run(1)
    for address in ("/experiments/", "/runs/", "/"):
        assert found.experiment.name not in page.get(address).text, address
    home = page.get("/").text
    assert "Nothing is running." in home and ">0 runs</a>" in home


@pytest.mark.long
def test_findings_separate_the_classes(page, run, played, organization):
    played("random", periods=2)
    run()
    run(harness={"kind": "human", "name": "Ada"})
    while FINDINGS.work_next():
        pass
    found = agent_table(organization=organization).agents
    assert [agent.name for agent in found] == ["Random", "Claude Code 2.1", "Ada"]


@pytest.mark.long
def test_selected_agents_of_every_class_are_compared(page, run, played):
    for seed in (0, 1):
        run(seed=seed)
    played("random", seeds=(0, 1), periods=2)
    slug = "outside-claude-code-21-claude-opus-4-5"
    text = page.get("/compare/", {"agents": [slug, "random"], "periods": 2}).text
    assert "Claude Code 2.1" in text and "Fewer than two of these agents" not in text
    assert (
        "Fewer than two of these agents"
        in page.get("/compare/", {"agents": [slug, "random"], "periods": 2, "rows": "own"}).text
    )


@pytest.mark.long
def test_api_and_exports_state_the_class_and_no_cost(page, run, opener):
    found = run()
    assert opener.get(f"/runs/{found.pk}").json()["player_class"] == "outside"
    lines = b"".join(page.get(f"/runs/{found.pk}/run.jsonl").streaming_content).decode().splitlines()
    records = [json.loads(line) for line in lines]
    assert {(record["player_class"], record["cost_usd"]) for record in records} == {("outside", None)}
    rows = csv.DictReader(b"".join(page.get(f"/runs/{found.pk}/run.csv").streaming_content).decode().splitlines())
    assert {(row["player_class"], row["cost_usd"]) for row in rows} == {("outside", "")}
    report = page.get(f"/experiments/{found.experiment_id}/report/")
    text = b"".join(report.streaming_content).decode() if report.streaming else report.text
    assert "outside agent" in text
