"""Every code example in the documents of the client works."""

import json
import re
import subprocess
import tomllib
import venv
from contextlib import redirect_stdout
from io import StringIO

import pytest

import econevals
from econevals.gymnasium import environment_id
from econevals.gymnasium.spaces import SPACES
from econevals.practice import practice_game
from tests.data_folders import CLIENT, ROOT

README = (CLIENT / "README.md").read_text()
GUIDE = (ROOT / "docs" / "outside-agents.md").read_text()
TASK = re.compile(r"inspect eval econevals/(\w+)(.*?) --model")


def blocks(text, language="python"):
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def section(heading):
    return re.split(r"^## ", GUIDE, flags=re.MULTILINE)[
        [*re.findall(r"^## (.*)$", GUIDE, re.MULTILINE)].index(heading) + 1
    ]


@pytest.fixture
def names(site, token):
    """What a reader of the documents has set."""
    seat = (
        econevals.connect(site.address, token).open_episode("pricing", "BASIC", seed=0, name="reader", periods=3).token
    )
    return {"SITE": site.address, "TOKEN": token, "SEAT": seat}


OURS = "".join(map(section, ("Python client", "Inspect", "Gymnasium")))


@pytest.mark.long
@pytest.mark.parametrize("text", [README, OURS], ids=["readme", "guide"])
def test_the_python_examples_run_as_printed(text, names):
    printed = StringIO()
    with redirect_stdout(printed):
        for code in blocks(text):
            exec(code, names)
    assert "score 0." in printed.getvalue() or "finished 0." in printed.getvalue()


def test_the_notebook_runs_from_its_first_cell_to_its_last(names, monkeypatch):
    file = CLIENT / "examples" / "first_episode.ipynb"
    assert file.stat().st_size < 20_000
    cells = json.loads(file.read_text())["cells"]
    assert not any(cell.get("outputs") for cell in cells)
    monkeypatch.setenv("ECONEVALS_SITE", names["SITE"])
    monkeypatch.setenv("ECONEVALS_TOKEN", names["TOKEN"])
    variables, printed = {}, StringIO()
    with redirect_stdout(printed):
        for cell in cells:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), variables)
    assert re.search(r"^score (0\.9|1\.0)", printed.getvalue(), re.MULTILINE)


@pytest.mark.parametrize("name", SPACES)
def test_the_table_of_environments_names_every_observation(name):
    (row,) = [line for line in section("Gymnasium").splitlines() if f"`{environment_id(name)}`" in line]
    spaces = SPACES[name](practice_game(name, with_reference=False))
    assert set(re.findall(r"`(\w+)`", row)) == set(spaces.observation_space())


def test_the_tasks_and_extras_of_the_documents_exist():
    extras = tomllib.loads((CLIENT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = re.findall(r'"\./client\[(\w+)\]"', README + OURS)
    assert named and set(named) <= set(extras)
    for name, options in TASK.findall(README + OURS):
        given = dict(option.split("=") for option in re.findall(r"-T (\S+)", options))
        practice_game(name, given.get("difficulty", ""), with_reference=False)


@pytest.mark.long
def test_pip_installs_the_client_without_dependencies_and_the_readme_runs(names, tmp_path):
    """And with an extra: the games, without claiming the names of other distributions."""
    venv.create(tmp_path, with_pip=True)
    python = tmp_path / "bin" / "python"

    def install(what):
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", what], check=True, cwd=ROOT
        )

    def run(code):
        code = f"SITE, TOKEN = {names['SITE']!r}, {names['TOKEN']!r}\n{code}"
        done = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    install("./client")
    packages = run(
        "import importlib.metadata as m; print(*sorted(d.metadata['Name'] for d in m.distributions()))"
    ).split()
    assert set(packages) <= {"econevals", "pip", "setuptools"}
    reading, playing, practice = blocks(README)
    assert "score 0." in run(reading + playing)
    top = run("import importlib.metadata as m; print({str(f).split('/')[0] for f in m.files('econevals')})")
    assert "environments" not in top and "agents" not in top
    install("./client[gymnasium]")
    run(practice)
