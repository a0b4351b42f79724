"""The commands: output and refusals."""

import csv
import io
import json
import re

import pytest
from django.core.management import call_command

from accounts.models import Endpoint
from environments.registry import generate
from runs.engine.advance import advance
from runs.models import Agent, Experiment, Note, Run
from runs.services.agents import agent_archive
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider
from workspace.transfer.writing.records import COLUMNS

LAUNCH = ("launch", "--environment", "pricing", "--difficulty", "BASIC", "--seeds", "0")


@pytest.fixture
def output(capsys):
    """What a command prints; JSON as data."""

    def output(*words):
        call_command(*words)
        text = capsys.readouterr().out
        return json.loads(text) if "--json" in words else text

    return output


@pytest.fixture
def refusal(capsys):
    """The sentence with which a command refuses."""

    def refusal(*words):
        with pytest.raises(SystemExit) as exit:
            call_command(*words)
        assert exit.value.code == 2
        return capsys.readouterr().err.strip()

    return refusal


def test_instance_prints_an_instance_without_a_database(output):
    words = ("instance", "scheduling", "BASIC", "--seed", "0", "--json")
    printed = output(*words)
    assert set(printed) >= {"environment", "difficulty", "seed", "generator", "parameters", "hidden", "reference"}
    assert output(*words) == printed
    assert output("instance", "procurement", "HARD", "--seed", "0", "--no-optimum", "--json")["reference"] == {}


def test_instance_draws_a_ranked_instance_again_from_its_revealed_key(output, refusal):
    key = str(2**255 + 1)
    printed = output("instance", "pricing", "HARD", "--generator", "ranked", "--seed", key, "--json")
    assert printed == generate("pricing", "HARD", int(key), "ranked").as_json()
    words = ("instance", "patience_vs_impatience", "STANDARD", "--generator", "ranked", "--seed", key)
    assert refusal(*words) == "There are no ranked instances of this environment, as its seeds hide nothing."


def test_replay_plays_a_file_of_actions(output, tmp_path):
    actions = tmp_path / "actions.jsonl"
    actions.write_text('{"Product_1": 20.0}\n{"Product_1": 28}\n')
    printed = output("replay", "pricing", "BASIC", "--seed", "0", "--actions", str(actions), "--json")
    first, second = printed["outcomes"]
    assert round(first["quantities"]["Product_1"], 2) == 24.76
    assert round(second["profits"]["Product_1"], 2) == 23.50
    assert printed["score"] == pytest.approx(second["share_of_optimum"])


def test_commands_draw_and_replay_the_instance_of_a_shock(output, refusal, tmp_path):
    place, shock = ("pricing", "BASIC", "--seed", "0"), ("--variant", "shock_sensitivity", "--json")
    usual = output("instance", *place, "--json")
    shocked = output("instance", *place, *shock)
    assert (shocked["hidden"]["shift"], usual["hidden"]["shift"]) == ("jump", "linear")
    actions = tmp_path / "actions.jsonl"
    actions.write_text("\n".join(f'{{"Product_1": {p[0]}}}' for p in shocked["reference"]["optimal_prices"]))
    printed = output("replay", *place, "--actions", str(actions), *shock)
    assert printed["score"] == pytest.approx(1.0) and printed["metrics"]["recovery"] == pytest.approx(1.0)
    assert "There is no variant 'shock'" in refusal("instance", *place, "--variant", "shock")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nonsense", "Line 2: this is not JSON."),
        ('{"Product_9": 1}', "Line 2: Unknown product 'Product_9'; the products are Product_1."),
        ('{"Product_1": -1}', "Line 2: The price of Product_1 must be a finite number of at least 0."),
        ("[" * 100_000, "Line 2: this is nested more than 64 deep."),
    ],
)
def test_replay_names_the_line_and_the_reason_of_an_invalid_action(refusal, tmp_path, line, reason):
    actions = tmp_path / "actions.jsonl"
    actions.write_text('{"Product_1": 20.0}\n' + line + "\n")
    assert refusal("replay", "pricing", "BASIC", "--seed", "0", "--actions", str(actions)) == reason


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_launch_with_wait_plays_the_runs_itself_without_a_worker(output, settings):
    settings.WORKER_THREADS = 1
    (run,) = output(*LAUNCH, "--periods", "3", "--agent", "optimum", "--wait", "--json")["runs"]
    fields = "id environment difficulty seed agent variant state score metrics periods error"
    assert set(run) == set(fields.split())
    assert (run["state"], run["score"], run["periods"], run["error"]) == ("finished", pytest.approx(1.0), 3, "")


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_launch_creates_agents_from_options_and_seals_their_key(output, settings, monkeypatch):
    settings.WORKER_THREADS = 1
    monkeypatch.setenv("HOUSE_KEY", "sk-house-canary-0001")
    with StubProvider(ScriptedPlayer()) as stub:
        spec = f"openai-compatible:house-1@{stub.base_url('openai')}"
        words = (*LAUNCH, "--periods", "2", "--agent", spec, "--api-key-env", "HOUSE_KEY", "--wait", "--json")
        (run,) = output(*words)["runs"]
        assert {request.key for request in stub.requests} == {"sk-house-canary-0001"}
    assert (run["state"], run["agent"]) == ("finished", spec)
    assert b"canary" not in bytes(Agent.objects.get(slug=spec).endpoint.sealed_key)


def test_an_archived_agent_cannot_be_launched_by_slug_or_file(refusal, agent, tmp_path):
    agent_archive(agent=agent("gpt-5"))
    told = "GPT-5 is archived. Unarchive it on its page to launch it."
    assert refusal(*LAUNCH, "--agent", "gpt-5", "--json") == told
    file = tmp_path / "launch.yaml"
    file.write_text("{environments: [pricing], difficulties: [BASIC], seeds: '0', agents: [gpt-5]}")
    assert refusal("launch", str(file), "--json") == told
    assert not Experiment.objects.exists()


def test_export_writes_a_record_per_period_and_neutralises_formulas(played, output):
    experiment = played("pricing-constant")
    Note.objects.filter(period_index=0).update(text="=HYPERLINK(1)")
    lines = output("export", "--experiment", str(experiment.pk)).splitlines()
    assert [json.loads(line)["period"] for line in lines] == [0, 1, 2, 3]
    text = output("export", "--run", str(experiment.runs.get().pk), "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert tuple(rows[0]) == COLUMNS
    assert rows[0]["notes"] == "'=HYPERLINK(1)"


def test_watch_ends_without_active_runs(played, output):
    experiment = played("pricing-constant")
    assert "Finished: 1 of 1 run finished; 4 of 4 periods played" in output("watch", str(experiment.pk))


def test_score_prints_only_means_of_finished_runs(launch, output):
    experiment = launch("pricing-constant", seeds=(0, 1, 2))
    finished = experiment.runs.order_by("id")[:2]
    for run in finished:
        advance(run.pk)
    (row,) = output("score", str(experiment.pk), "--json")["scores"]
    assert (row["n"], row["of"], row["variant"]) == (2, 3, "main")
    assert row["mean"] == pytest.approx(sum(run.score for run in finished.all()) / 2)


def test_a_custom_instance_takes_missing_settings_from_the_first_difficulty(output):
    words = ("instance", "scheduling", "--seed", "0", "--no-optimum", "--json")
    custom = output(*words, "CUSTOM", "--set", "size=12")["parameters"]
    basic = output(*words, "BASIC")["parameters"]
    assert len(custom["workers"]) == 12 != len(basic["workers"])
    assert custom["feedback_pairs"] == basic["feedback_pairs"]


@pytest.mark.long
def test_runs_are_paused_resumed_cancelled_and_retried(launch, output, refusal):
    experiment = launch("pricing-constant", seeds=(0, 1))
    first, second = experiment.runs.order_by("id")
    whole, one = ("--experiment", str(experiment.pk), "--json"), ("--run", str(first.pk), "--json")
    assert output("pause", *whole) == {"experiment": experiment.pk, "run": None, "changed": 2}
    assert output("resume", *one) == {"experiment": None, "run": first.pk, "changed": 1}
    assert output("resume", *one)["changed"] == 0
    Run.objects.filter(pk=second.pk).update(state="errored")
    assert output("retry", *whole)["changed"] == 1
    assert output("cancel", *one[:2]) == "1 run cancelled.\n"
    assert sorted(experiment.runs.values_list("state", flat=True)) == ["cancelled", "queued"]
    first.refresh_from_db()
    assert first.reason == "Cancelled by the command line."
    for name in ("pause", "resume", "cancel", "retry"):
        assert refusal(name, "--run", "9999") == "There is no run 9999."


@pytest.mark.long
def test_leaderboards_list_own_and_published_rows(played, output):
    played("pricing-constant")
    (row,) = output("leaderboard", "--periods", "4", "--json")["rows"]
    assert (row["agent"], row["kind"], len(row["cells"])) == ("pricing-constant", "baseline", 1)
    for words in (("leaderboard", "--json"), ("leaderboard", "--litmus", "--json")):
        assert {found["kind"] for found in output(*words)["rows"]} == {"published"}
    assert "Pricing BASIC" in output("leaderboard", "--periods", "4")
    assert "reliability" in output("leaderboard", "--litmus")


@pytest.mark.long
def test_compare_prints_a_sentence_per_pair_of_agents(played, output, refusal):
    played("random", "optimum", seeds=(0, 1))
    words = ("compare", "random", "optimum", "--periods", "4")
    ((line,), (found,)) = output(*words).splitlines(), output(*words, "--json")["comparisons"]
    assert line == f"Pricing: {found['sentence']}" and "too few instances for a verdict" in line
    assert found["n"] == len(found["instances"]) == 2 and found["difference"] > 0
    assert output("compare", "--agent", "random", "optimum", "--periods", "4") == output(*words)
    assert refusal("compare", "random") == "Name two to 4 agents."
    assert refusal("compare", "random", "nobody") == "There is no agent nobody."
    assert refusal("compare", "--a", "random").startswith("Name two agents by --a and --b")


@pytest.mark.long
def test_two_agents_are_compared_over_all_environments_in_shares_of_1(played, output):
    played("random", "optimum", seeds=(0, 1))
    played("random", seeds=(2,))
    found = output("compare", "--a", "random", "--b", "optimum", "--periods", "4", "--json")
    assert list(found) == [
        "a", "b", "instances", "pairs", "only_a", "only_b", "mean_difference", "interval", "p_sign_flip", "exact",
        "p_wilcoxon", "p_holm", "minimum_detectable_difference", "instances_needed", "sentence",
        "effect", "missing", "worst", "best", "depends_on_missing",
    ]  # fmt: skip
    assert (found["a"], found["instances"], len(found["pairs"]), found["only_b"]) == ("random", 2, 2, [])
    pair, alone = found["pairs"][0], found["only_a"][0]
    assert (pair["environment"], pair["difficulty"], pair["seed"]) == ("pricing", "BASIC", 0)
    assert alone["seed"] == 2 and alone["b"] is None
    differences = [one["b"] - one["a"] for one in found["pairs"]]
    assert found["mean_difference"] == pytest.approx(sum(differences) / 2) and 0 < found["mean_difference"] < 3
    assert found["interval"] is None and found["p_holm"] == found["p_sign_flip"] == 0.5
    nothing = output("compare", "--a", "random", "--b", "optimum", "--environment", "scheduling", "--json")
    assert (
        nothing["instances"] == 0
        and nothing["mean_difference"] is None
        and "no instance in common" in nothing["sentence"]
    )


ESTIMATE = ("estimate", *LAUNCH[1:-1], "0-2", "--periods", "10", "--agent")


def test_estimate_prints_calls_tokens_dollars_and_seconds_without_launching(organization, output):
    printed = output(*ESTIMATE, "gpt-4-1", "random", "--json")
    assert set(printed) >= {"runs", "periods", "calls", "input_tokens", "output_tokens", "cost_usd", "seconds", "basis"}
    assert (printed["runs"], printed["periods"], printed["calls"]) == (6, 60, 60)
    for spread in (printed["cost_usd"], printed["seconds"], printed["input_tokens_range"]):
        assert 0 < spread["low"] < spread["expected"] < spread["high"]
    assert not Experiment.objects.exists()
    text = output(*ESTIMATE, "gpt-4-1")
    assert text.startswith("3 runs, at most 30 periods\nCalls: about 60\nInput tokens: about ")
    assert "Cost: about $" in text
    assert re.search(r"\nDisk: about 99 kB \([^,]* to [^,]*\)\n", text)


def test_estimate_stores_no_agents_created_from_options(organization, output):
    before = set(Agent.objects.values_list("slug", flat=True)), Endpoint.objects.count()
    printed = output(*ESTIMATE, "openai-compatible:house-1@http://127.0.0.1:9/v1", "openai:gpt-4o", "--json")
    assert (printed["calls"], printed["cost_usd"]) == (120, None)
    assert (set(Agent.objects.values_list("slug", flat=True)), Endpoint.objects.count()) == before
    assert output(*ESTIMATE, "openai:gpt-4o", "--json")["cost_usd"]["expected"] > 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("instance", "pricing", "EASY", "--seed", "0"), "There is no difficulty EASY"),
        ((*LAUNCH, "--agent", "gpt-99"), "There is no agent 'gpt-99'."),
        ((*ESTIMATE, "gpt-99"), "There is no agent 'gpt-99'."),
        ((*ESTIMATE, "gpt-4-1", "--variant", "loud"), "The chosen environments have no variant 'loud'."),
        ((*ESTIMATE, "gpt-4-1", "--budget", "much"), "--budget must be an amount in dollars, not 'much'."),
    ],
)
def test_an_invalid_instance_launch_or_estimate_ends_with_a_sentence(organization, refusal, words, sentence):
    assert refusal(*words).startswith(sentence)
