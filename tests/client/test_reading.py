"""The client reads a running site that has played the demo, and launches experiments."""

import pytest

import econevals
from tests.waiting import patience


@pytest.mark.long
def test_a_token_reports_its_role_and_scopes(owner):
    assert owner.me()["role"] == "owner" and "play" in owner.me()["scopes"]


def test_experiments_runs_periods_and_notes_are_lists_of_dicts(owner):
    experiment = owner.experiments()[-1]
    runs = owner.runs(experiment=experiment["id"])
    assert len(runs) == experiment["runs"]["total"] == len(owner.experiment(experiment["id"])["run_states"])
    run = owner.run(runs[0]["id"])
    periods, notes = owner.periods(run["id"]), owner.notes(run["id"])
    assert len(periods) == run["periods_played"] and notes[0]["text"]
    assert owner.notes(run["id"], period=0) == [note for note in notes if note["period"] == 0]
    assert owner.transcript(run["id"], 0)["seats"][0]["exchanges"]
    assert {"random"} <= {agent["slug"] for agent in owner.agents()}


def test_frames_have_the_numbers_in_columns(owner):
    run = next(run for run in owner.runs(environment="pricing") if run["state"] == "finished")
    frame = owner.periods(run["id"]).frame()
    assert len(frame) == run["periods_played"]
    assert frame["outcome.share_of_optimum"].between(-10, 1.000001).all()
    scores = owner.runs(environment="pricing", state="finished").frame().groupby("agent")["score"].mean()
    assert scores.notna().all()


def test_the_leaderboards_become_frames_of_cells(owner):
    board = owner.leaderboard("benchmark", rows=["baseline"]).frame()
    assert {"name", "environment", "difficulty", "mean", "n"} <= set(board.columns)
    assert owner.leaderboard("litmus") is not None
    assert owner.leaderboards() == []


def test_every_address_of_the_api_can_be_read(owner):
    assert owner.get("/compare", agents=["random", "pricing-constant"])
    assert owner.rows("/instances", most=3)[0]["environment"]


def test_a_launch_is_waited_for_and_controlled(owner):
    plan = {"environments": ["pricing"], "difficulties": ["BASIC"], "seeds": "0-1", "agents": ["random"], "periods": 3}
    experiment = owner.launch(**plan)
    done = owner.wait(experiment["id"], seconds=patience(), every=0.2)
    assert [run["state"] for run in done["run_states"]] == ["finished", "finished"]
    assert owner.control("pause", experiment=experiment["id"]) == 0
    with pytest.raises(ValueError, match="Name an experiment or a run."):
        owner.control("pause")
    with pytest.raises(econevals.Refused, match="Choose at least one agent|agents") as refused:
        owner.launch(**plan | {"agents": []})
    assert "agents" in refused.value.fields


def test_seasons_and_episodes_are_listed(owner):
    with pytest.raises(econevals.Refused) as refused:
        owner.open_entry("no-such-season", name="tester")
    assert refused.value.status == 404
    episode = owner.open_episode("pricing", "BASIC", name="lister", periods=1)
    listed = owner.episodes(most=1)[0]
    assert (listed["id"], listed["state"], listed["period"]) == (episode.id, "open", 0)
