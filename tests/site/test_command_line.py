"""bin/econevals: real processes on one data folder, and the help pages. What commands print: tests/runs/test_commands.py."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from econevals_site.command_line import GROUPS, main
from tests.data_folders import ROOT
from tests.waiting import patience

PROMISED = """
    launch watch score export import instance replay pause resume cancel retry estimate leaderboard backup restore work up
"""
QUICK = ("--environment", "pricing", "--difficulty", "BASIC", "--seeds", "0", "--periods", "2", "--agent")

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("command-line")


@pytest.fixture(scope="module")
def run(folder):
    """Calls the entry point of bin/econevals in a folder that is not the repository."""

    def call(*words, **more):
        variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "ECONEVALS_DATA_DIR": str(folder / "data")}
        command = [sys.executable, "-P", "-m", "econevals_site", *words]
        return subprocess.run(
            command, cwd=folder, env=variables | more, capture_output=True, text=True, timeout=patience()
        )

    return call


def answer(done, code=0):
    assert done.returncode == code, done.stderr
    found = json.loads(done.stdout)
    return found


def the_sentence(code, out, error):
    assert (code, out) == (2, "")
    (sentence,) = error.splitlines()
    assert sentence.endswith(".") and "Traceback" not in sentence
    return sentence


@pytest.mark.long
def test_the_script_without_a_command_prints_a_page_with_every_command(run):
    page = run()
    assert (page.returncode, page.stderr) == (0, "")
    lines = page.stdout.splitlines()
    assert len(lines) <= 56 and max(map(len, lines)) <= 100
    for name in PROMISED.split():
        assert len([line for line in lines if line.startswith(f"  {name} ")]) == 1, name


@pytest.mark.parametrize("name", [name for commands in GROUPS.values() for name in commands])
def test_every_command_has_help_and_result_commands_accept_json(capsys, name):
    with pytest.raises(SystemExit) as exit:
        main([name, "--help"])
    text = capsys.readouterr().out
    assert exit.value.code == 0 and text.startswith(f"usage: econevals {name}")
    assert "--json" in text or name in {"work", "report", *GROUPS["Accounts and keys"]}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("lunch",), "There is no command 'lunch'; bin/econevals --help lists them."),
        (("watch",), "The following arguments are required: experiment; see bin/econevals watch --help."),
        (("pause",), "One of the arguments --experiment --run is required; see bin/econevals pause --help."),
        (("cancel", "--run", "one"), "Argument --run: invalid int value: 'one'; see bin/econevals cancel --help."),
        (("instance", "pricing", "EASY", "--seed", "0"), "There is no difficulty EASY; there are BASIC, MEDIUM, HARD."),
    ],
)
def test_wrong_usage_ends_with_code_2_and_a_sentence(capsys, words, sentence):
    try:
        code = main(words)
    except SystemExit as exit:
        code = exit.code
    assert the_sentence(code, *capsys.readouterr()) == sentence


@pytest.mark.long
def test_bad_input_ends_with_code_2_and_a_sentence(run):
    done = run("watch", "9999")
    assert the_sentence(done.returncode, done.stdout, done.stderr) == "There is no experiment 9999."
    done = run("score", "1", PORT="http")
    sentence = the_sentence(done.returncode, done.stdout, done.stderr)
    assert sentence == "PORT must be a whole number, not 'http'."


@pytest.mark.long
def test_a_launch_that_waits_ends_with_code_0_when_all_runs_finish(run):
    printed = answer(run("launch", *QUICK, "optimum", "--wait", "--json"))
    assert [found["state"] for found in printed["runs"]] == ["finished"]
    assert answer(run("watch", str(printed["experiment"]), "--json")) == printed


@pytest.mark.long
def test_a_run_that_stops_without_a_score_ends_the_watch_with_code_1(run):
    number = str(answer(run("launch", *QUICK, "random", "--json"))["experiment"])
    assert answer(run("pause", "--experiment", number, "--json"))["changed"] == 1
    assert [found["state"] for found in answer(run("watch", number, "--json"), code=1)["runs"]] == ["paused"]


@pytest.mark.long
def test_a_backup_is_restored(run, folder):
    made = answer(run("backup", "one.zip", "--json"))
    assert made["bytes"] == (folder / "one.zip").stat().st_size
    restored = answer(run("restore", "one.zip", "--yes", "--json"))
    assert restored["rows"] == made["rows"] and Path(restored["before"]).exists()


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_unprintable_letters_are_replaced_on_a_limited_terminal(encoding):
    code = "from econevals_site.command_line import main; main(['none']); print('\\u901a, \\u2192')"
    variables = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=variables, capture_output=True)
    assert done.stdout.decode(encoding).splitlines()[-1] == "?, ?", done.stderr


@pytest.mark.long
def test_a_closed_pipe_prints_no_traceback(folder):
    command = f"{sys.executable} -P -m econevals_site instance procurement HARD --seed 0 --no-optimum | head -c 1"
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "ECONEVALS_DATA_DIR": str(folder / "data")}
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=variables, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("{", "")


@pytest.mark.long
@pytest.mark.skipif(not Path(sys.prefix, "installed").exists(), reason="needs the environment that bin/test makes")
def test_the_script_works_through_a_link_and_reads_files_of_the_callers_folder(folder):
    (folder / "ee").symlink_to(ROOT / "bin" / "econevals")
    (folder / "actions.jsonl").write_text('{"Product_1": 20.0}\n')
    words = ("replay", "pricing", "BASIC", "--seed", "0", "--actions", "actions.jsonl", "--json")
    variables = {"PATH": os.environ["PATH"], "ECONEVALS_VENV": sys.prefix, "ECONEVALS_DATA_DIR": str(folder / "data")}
    done = subprocess.run([folder / "ee", *words], cwd=folder, env=variables, capture_output=True, text=True)
    assert len(answer(done)["outcomes"]) == 1
