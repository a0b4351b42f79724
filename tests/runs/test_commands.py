"""The commands others rely on."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.core.management import call_command

from runs.models import Agent, Note, Run
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider
from transfer.writing import COLUMNS


def output(capsys, *words):
    call_command(*words)
    return capsys.readouterr().out


def refusal(capsys, *words):
    with pytest.raises(SystemExit) as exit:
        call_command(*words)
    assert exit.value.code == 2
    return capsys.readouterr().err.strip()


def test_instance_prints_one_instance_without_a_database(capsys):
    words = ("instance", "scheduling", "BASIC", "--seed", "0", "--json")
    printed = json.loads(output(capsys, *words))
    assert set(printed) >= {"environment", "difficulty", "seed", "generator", "parameters", "hidden", "reference"}
    assert output(capsys, *words) == output(capsys, *words)


def test_instance_leaves_out_the_optimum_when_asked(capsys):
    words = ("instance", "procurement", "HARD", "--seed", "0", "--no-optimum", "--json")
    assert json.loads(output(capsys, *words))["reference"] == {}


def test_an_unknown_difficulty_is_refused_in_a_sentence(capsys):
    assert "There is no difficulty EASY" in refusal(capsys, "instance", "pricing", "EASY", "--seed", "0")


def test_replay_plays_a_file_of_actions(capsys, tmp_path):
    actions = tmp_path / "actions.jsonl"
    actions.write_text('{"Product_1": 20.0}\n{"Product_1": 28}\n')
    words = ("replay", "pricing", "BASIC", "--seed", "0", "--actions", str(actions), "--json")
    printed = json.loads(output(capsys, *words))
    first, second = printed["outcomes"]
    assert round(first["quantities"]["Product_1"], 2) == 24.76
    assert round(second["profits"]["Product_1"], 2) == 23.50
    assert printed["score"] == pytest.approx(second["share_of_optimum"])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nonsense", "Line 2: this is not JSON."),
        ('{"Product_9": 1}', "Line 2: Unknown product 'Product_9'; the products are Product_1."),
        ('{"Product_1": -1}', "Line 2: The price of Product_1 must be a finite number of at least 0."),
        ("[" * 100_000, "Line 2: this is nested more than 64 deep."),
    ],
)
def test_replay_names_the_line_and_the_reason_of_an_invalid_action(capsys, tmp_path, line, reason):
    actions = tmp_path / "actions.jsonl"
    actions.write_text('{"Product_1": 20.0}\n' + line + "\n")
    assert refusal(capsys, "replay", "pricing", "BASIC", "--seed", "0", "--actions", str(actions)) == reason


@pytest.mark.django_db(transaction=True)
def test_launch_with_wait_plays_the_runs_itself_where_no_worker_is_up(capsys, settings):
    settings.WORKER_THREADS = 1
    words = ("launch", "--environment", "pricing", "--difficulty", "BASIC", "--seeds", "0", "--periods", "3")
    printed = json.loads(output(capsys, *words, "--agent", "optimum", "--wait", "--json"))
    (run,) = printed["runs"]
    assert set(run) == {
        "id",
        "environment",
        "difficulty",
        "seed",
        "agent",
        "variant",
        "state",
        "score",
        "metrics",
        "periods",
        "error",
    }
    assert (run["state"], run["score"], run["periods"], run["error"]) == ("finished", pytest.approx(1.0), 3, "")


@pytest.mark.django_db(transaction=True)
def test_launch_makes_agents_on_the_spot_and_seals_their_key(capsys, settings, monkeypatch):
    settings.WORKER_THREADS = 1
    monkeypatch.setenv("HOUSE_KEY", "sk-house-canary-0001")
    with StubProvider(ScriptedPlayer()) as stub:
        spec = f"openai-compatible:house-1@{stub.base_url('openai')}"
        words = ("launch", "--environment", "pricing", "--difficulty", "BASIC", "--seeds", "0", "--periods", "2")
        printed = json.loads(output(capsys, *words, "--agent", spec, "--api-key-env", "HOUSE_KEY", "--wait", "--json"))
        assert {request.key for request in stub.requests} == {"sk-house-canary-0001"}
    assert printed["runs"][0]["state"] == "finished"
    assert printed["runs"][0]["agent"] == spec
    endpoint = Agent.objects.get(slug=spec).endpoint
    assert b"canary" not in bytes(endpoint.sealed_key)


@pytest.mark.django_db
def test_launch_refuses_an_unknown_agent_in_a_sentence(capsys):
    words = ("launch", "--environment", "pricing", "--difficulty", "BASIC", "--seeds", "0", "--agent", "gpt-99")
    assert refusal(capsys, *words).startswith("There is no agent 'gpt-99'.")


@pytest.mark.django_db
def test_export_writes_a_record_a_period_and_neutralises_formulas(launch, capsys):
    from runs.engine.advance import advance

    experiment = launch("pricing-constant")
    run = experiment.runs.get()
    advance(run.pk)
    Note.objects.filter(period_index=0).update(text="=HYPERLINK(1)")
    lines = output(capsys, "export", "--experiment", str(experiment.pk)).splitlines()
    assert [json.loads(line)["period"] for line in lines] == [0, 1, 2, 3]
    rows = list(csv.DictReader(io.StringIO(output(capsys, "export", "--run", str(run.pk), "--format", "csv"))))
    assert tuple(rows[0]) == COLUMNS
    assert rows[0]["notes"] == "'=HYPERLINK(1)"


@pytest.mark.django_db
def test_watch_ends_when_nothing_is_active(launch, capsys):
    from runs.engine.advance import advance

    experiment = launch("pricing-constant")
    advance(Run.objects.get().pk)
    assert "Finished: 1 of 1 run finished; 4 of 4 periods played" in output(capsys, "watch", str(experiment.pk))


@pytest.mark.django_db
def test_score_prints_means_of_finished_runs_only(launch, capsys):
    from runs.engine.advance import advance

    experiment = launch("pricing-constant", seeds=(0, 1, 2))
    first, second, _ = experiment.runs.order_by("id")
    advance(first.pk)
    advance(second.pk)
    (row,) = json.loads(output(capsys, "score", str(experiment.pk), "--json"))["scores"]
    scores = [run.score for run in experiment.runs.order_by("id")[:2]]
    assert (row["n"], row["of"], row["variant"]) == (2, 3, "main")
    assert row["mean"] == pytest.approx(sum(scores) / 2)


def test_a_custom_instance_takes_what_is_left_out_from_the_first_difficulty(capsys):
    words = ("instance", "scheduling", "--seed", "0", "--no-optimum", "--json")
    custom = json.loads(output(capsys, *words, "CUSTOM", "--set", "size=12"))["parameters"]
    basic = json.loads(output(capsys, *words, "BASIC"))["parameters"]
    assert len(custom["workers"]) == 12 != len(basic["workers"])
    assert custom["feedback_pairs"] == basic["feedback_pairs"]


@pytest.mark.django_db
def test_runs_are_paused_resumed_cancelled_and_retried(launch, capsys):
    experiment = launch("pricing-constant", seeds=(0, 1))
    first, second = experiment.runs.order_by("id")

    def change(name, **chosen):
        (word, pk) = chosen.popitem()
        return json.loads(output(capsys, name, f"--{word}", str(pk), "--json"))

    assert change("pause", experiment=experiment.pk) == {"experiment": experiment.pk, "run": None, "changed": 2}
    assert change("resume", run=first.pk) == {"experiment": None, "run": first.pk, "changed": 1}
    assert change("resume", run=first.pk)["changed"] == 0
    Run.objects.filter(pk=second.pk).update(state="errored")
    assert change("retry", experiment=experiment.pk)["changed"] == 1
    assert output(capsys, "cancel", "--run", str(first.pk)) == "1 run cancelled.\n"
    assert sorted(experiment.runs.values_list("state", flat=True)) == ["cancelled", "queued"]
    first.refresh_from_db()
    assert first.reason == "Cancelled by the command line."
    for name in ("pause", "resume", "cancel", "retry"):
        assert refusal(capsys, name, "--run", "9999") == "There is no run 9999."


@pytest.mark.django_db
def test_the_leaderboards_show_played_and_published_rows(launch, capsys):
    from runs.engine.advance import advance

    experiment = launch("pricing-constant")
    advance(experiment.runs.get().pk)
    (row,) = json.loads(output(capsys, "leaderboard", "--periods", "4", "--json"))["rows"]
    assert (row["agent"], row["kind"], len(row["cells"])) == ("pricing-constant", "baseline", 1)
    for words in (("leaderboard", "--json"), ("leaderboard", "--litmus", "--json")):
        rows = json.loads(output(capsys, *words))["rows"]
        assert {found["kind"] for found in rows} == {"published"}
    assert "pricing BASIC: " in output(capsys, "leaderboard", "--periods", "4")
    assert "reliability" in output(capsys, "leaderboard", "--litmus")
