"""The games as Inspect tasks, run in the separate environment of Inspect."""

import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest

from agents.options import LLMOptions
from environments.registry import ENVIRONMENTS, generate
from tests.conftest import need
from tests.data_folders import CLIENT, ROOT
from tests.scripted_model import ScriptedModel, play_run
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubAnswer, StubProvider

SHORT = {
    "econevals/procurement": {"periods": 3},
    "econevals/scheduling": {"periods": 4, "seeds": "1,3"},
    "econevals/pricing": {"periods": 3, "difficulty": "MEDIUM", "seeds": "0-1", "reasoning": True},
    "econevals/efficiency_vs_equality": {"variant": "equality"},
    "econevals/collusiveness_vs_competitiveness": {"periods": 3},
    "econevals/patience_vs_impatience": {"periods": 2},
}
HARD = {name: {"difficulty": "HARD"} for name in ("econevals/pricing", "econevals/scheduling")}


@pytest.fixture(scope="module")
def inspect(tmp_path_factory):
    """Run Python with Inspect and the client, which is installed as pip builds it from its folder."""
    python = os.environ.get("ECONEVALS_INSPECT_PYTHON") or sys.executable
    need("Inspect AI", python != sys.executable or importlib.util.find_spec("inspect_ai") is not None)
    installed = tmp_path_factory.mktemp("client") / "site-packages"
    options = [
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-build-isolation",
        "--target",
        str(installed),
    ]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(CLIENT)], check=True)

    def run(*arguments, **variables):
        environment = os.environ | {"PYTHONPATH": f"{installed}{os.pathsep}{ROOT}", **variables}
        return subprocess.run([python, *arguments], env=environment, capture_output=True, text=True, check=False)

    return run


def offline(inspect, folder, tasks):
    done = inspect("-m", "tests.client.inspect_offline", str(folder), json.dumps(tasks))
    assert done.returncode == 0, done.stderr[-3000:]
    return {found["task"]: found for found in map(json.loads, done.stdout.splitlines())}


@pytest.fixture(scope="module")
def short(inspect, tmp_path_factory):
    return offline(inspect, tmp_path_factory.mktemp("logs"), SHORT)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_run_under_inspect_equals_a_run_of_our_own_loop(name, short):
    found, options = short[f"econevals/{name}"], dict(SHORT[f"econevals/{name}"])
    assert found["status"] == "success"
    options.pop("seeds", None)
    options.pop("difficulty", None)
    for sample, run in found["runs"].items():
        difficulty, seed = sample.split()
        instance = generate(name, difficulty, int(seed))
        game = play_run(instance, ScriptedModel(LLMOptions("openai-compatible", "m", "http://127.0.0.1")), **options)
        assert [period["action"] for period in run["periods"]] == [outcome.action for outcome in game.outcomes]
        score = game.score(instance, game.outcomes, game.periods, game.variant)
        assert run["score"] == pytest.approx(score.value)


def test_seeds_are_read_as_in_a_launch(short):
    assert list(short["econevals/scheduling"]["runs"]) == ["BASIC 1", "BASIC 3"]
    assert list(short["econevals/pricing"]["runs"]) == ["MEDIUM 0", "MEDIUM 1"]


def test_each_period_keeps_its_notes_and_a_market_has_two_chats(short):
    (run,) = short["econevals/collusiveness_vs_competitiveness"]["runs"].values()
    assert all(len(notes) == 1 for period in run["periods"] for notes in period["notes"].values())
    assert [list(period["notes"]) for period in run["periods"]] == [["seat_0", "seat_1"]] * 3
    assert run["model_calls"] == 3 * 2 * 2


def test_a_survey_asks_each_question_in_a_separate_chat(short):
    (run,) = short["econevals/patience_vs_impatience"]["runs"].values()
    assert run["model_calls"] == 2 * 20


@pytest.mark.long
def test_inspect_plays_100_periods_of_the_hard_games(inspect, tmp_path):
    for task, found in offline(inspect, tmp_path, HARD | {"econevals/procurement": {"difficulty": "HARD"}}).items():
        (run,) = found["runs"].values()
        print(f"{task} HARD: a log of {os.path.getsize(found['log']):,} bytes")
        assert len(run["periods"]) == 100 and run["score"] is not None


@pytest.fixture
def evaluate(inspect, tmp_path):
    """`inspect eval`, with a real server as the model; the process, the log's header and what the server received."""

    def evaluate(task, *options, script):
        with StubProvider(script) as stub:
            keys = {"STUB_API_KEY": "sk-test-key-0001", "STUB_BASE_URL": stub.base_url("openai")}
            command = [
                "-m",
                "inspect_ai",
                "eval",
                task,
                "--model",
                "openai-api/stub/house-1",
                "--display",
                "plain",
                "--log-format",
                "json",
            ]
            done = inspect(*command, "--log-dir", str(tmp_path / "logs"), *options, **keys)
            received = list(stub.requests)
        logs = list((tmp_path / "logs").glob("*.json"))
        header = json.loads(logs[0].read_text()) if logs else None
        return done, header, received

    return evaluate


def test_the_command_plays_through_a_providers_api_with_the_tools_of_the_papers(evaluate):
    """The command of the readme, for fewer periods."""
    task, options = re.search(r"inspect eval (\S+) (.*?) --model", (CLIENT / "README.md").read_text()).groups()
    done, header, received = evaluate(task, *options.split(), "-T", "periods=2", script=ScriptedPlayer())
    assert done.returncode == 0, done.stdout[-3000:]
    assert header["status"] == "success" and header["eval"]["task"] == "econevals/pricing"
    assert header["eval"]["task_args"]["seeds"] == "0-2" and header["eval"]["metadata"]["ranked"] is False
    assert header["results"]["scores"][0]["metrics"]["mean"]["value"] is not None
    game = ENVIRONMENTS["pricing"](generate("pricing", "BASIC", 0))
    # The three seeds are played at once, so any of them may ask first.
    prompts = [game.system_prompt(), game.initial_prompt()]
    first = next(one.body for one in received if [told["content"] for told in one.body["messages"][:2]] == prompts)
    assert first["tool_choice"] == "required" and first["temperature"] == 1
    sent = [(tool["function"]["name"], tool["function"]["parameters"]) for tool in first["tools"]]
    assert [name for name, _ in sent] == [tool.name for tool in game.tools()]
    for (_, schema), tool in zip(sent, game.tools(), strict=True):
        assert schema.get("required", []) == tool.input_schema.get("required", [])
        assert list(schema["properties"]) == list(tool.input_schema["properties"])
    assert len(received) == 3 * 2 * 2


@pytest.mark.long
def test_a_run_that_stalls_has_an_error_and_no_score(evaluate):
    done, header, received = evaluate(
        "econevals/pricing", "-T", "periods=2", script=lambda *_: StubAnswer(text="Hello.")
    )
    assert header["status"] == "error"
    assert "No valid action in period 0 after 3 chats of 40 queries" in header["error"]["message"]
    assert len(received) == 3 * 40 and "results" not in header


def test_a_game_that_does_not_exist_is_refused_in_a_sentence(evaluate):
    done, header, received = evaluate("econevals/pricing", "-T", "difficulty=EASY", script=ScriptedPlayer())
    assert "There is no difficulty EASY; there are BASIC, MEDIUM, HARD." in done.stdout + done.stderr
    assert header is None and received == []
