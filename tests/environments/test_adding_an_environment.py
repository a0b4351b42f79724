"""Adding an environment, exactly as CONTRIBUTING.md says, and playing it in the browser.

The folder `new_game` holds the files of a small game. They are copied into a copy of the project, and the table lines are
read from CONTRIBUTING.md. The copy runs as a site of its own.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sync_api = pytest.importorskip("playwright.sync_api")

from tests.browser.conftest import CHROMIUM, browser, browser_type_launch_args, complaints, page  # noqa: E402, F401
from tests.conftest import need  # noqa: E402
from tests.project_copies import copy_of_project, guide  # noqa: E402
from tests.running_site import running_site  # noqa: E402

NEW_GAME = Path(__file__).parent / "new_game"
expect = sync_api.expect


def section():
    return guide("Adding an environment")


def table_lines():
    """(file, table, line) for each added line of the section's diff; the table is empty for an import."""
    path = table = ""
    for line in section().partition("```diff\n")[2].partition("```")[0].splitlines():
        if line.startswith("--- "):
            path, table = line.removeprefix("--- "), ""
        elif line.startswith("+"):
            yield path, table, line.removeprefix("+")
        else:
            table = line.strip()


def add_line(text, table, line):
    """The text of a module with a line put first in a table, or first among the imports."""
    head = rf"^{table}\b.* = \{{\n" if table else r"\n\n(?=from )"
    found = re.search(head, text, flags=re.MULTILINE)
    assert found, f"no {table or 'imports'}"
    return f"{text[: found.end()]}{line}\n{text[found.end() :]}"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project with the new game."""
    copy = copy_of_project(tmp_path_factory.mktemp("project"))
    shutil.copytree(NEW_GAME, copy, dirs_exist_ok=True)
    for path, table, line in table_lines():
        file = copy / path
        file.write_text(add_line(file.read_text(encoding="utf-8"), table, line), encoding="utf-8")
    return copy


@pytest.fixture(scope="module")
def site(project, tmp_path_factory):
    need("Chromium", bool(CHROMIUM))
    with running_site(tmp_path_factory.mktemp("site"), root=project) as site:
        yield site


def test_every_file_that_the_guide_names_belongs_to_the_new_game():
    files = {str(path.relative_to(NEW_GAME)) for path in NEW_GAME.rglob("*.*") if "__pycache__" not in path.parts}
    named = re.findall(r"^\d\. `([\w/.]+)`", section(), re.MULTILINE)
    assert named
    assert all(any(file.startswith(name) for file in files) for name in named)
    assert all(file.startswith(tuple(named)) for file in files)


@pytest.mark.long
def test_the_contract_test_plays_the_new_game(project):
    command = [sys.executable, "-m", "pytest", "-p", "no:django", "-W", "ignore::pytest.PytestConfigWarning", "-k"]
    command += ["guessing", "tests/environments/test_environment_contract.py", "tests/environments/test_bad_actions.py"]
    done = subprocess.run(command, cwd=project, env=os.environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 20


@pytest.mark.long
@pytest.mark.browser
def test_a_new_environment_is_played_drawn_scored_ranked_and_exported(page, site):  # noqa: F811
    launch(page, site)
    expect(page.locator(".facts .state.finished")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.locator("a.cell").first.click()
    page.wait_for_url(re.compile(r"/runs/\d+/"))
    expect(page.locator("main")).to_contain_text("Halving on guessing BASIC, seed 7")
    expect(page.locator("main")).to_contain_text("numbers up to 100")
    expect(page.locator("main")).to_contain_text("Guesses by period")
    expect(page.locator("main")).to_contain_text("Closeness")
    expect(page.locator(".chart svg.main-svg").first).to_be_visible()
    expect(page.locator("main")).to_contain_text("is right.")
    run = re.search(r"/runs/(\d+)/", page.url)[1]
    exported = page.request.get(f"{site.address}/runs/{run}/run.jsonl").text()
    assert '"guessing"' in exported and '"is right."' not in exported
    assert len([json.loads(line) for line in exported.splitlines()]) > 1
    page.wait_for_load_state("networkidle")
    # Without a figure an instance shows its values as tables.
    page.get_by_role("link", name="instance", exact=True).click()
    expect(page.locator("main")).to_contain_text("Hidden number")
    expect(page.get_by_role("row", name="highest 100")).to_be_visible()
    expect(page.locator(".chart")).to_have_count(0)
    page.goto(f"{site.address}/leaderboard/?environments=guessing&difficulties=BASIC")
    expect(page.get_by_role("row", name=re.compile("Halving"))).to_contain_text("100.0")


def launch(page, site):  # noqa: F811
    """Launch one run of the new game from the form."""
    page.goto(f"{site.address}/experiments/new/")
    for name in ("Procurement", "Scheduling", "Pricing"):
        page.locator("label.chip", has=page.get_by_role("checkbox", name=name, exact=True)).click()
    page.locator("label.chip", has=page.get_by_role("checkbox", name="Guessing", exact=True)).click()
    page.get_by_label("Seeds").fill("7")
    for button in page.get_by_role("button", name="none", exact=True).all():
        button.click()
    page.get_by_role("checkbox", name=re.compile("^Halving")).check()
    button = page.get_by_role("button", name=re.compile(r"^Launch \d+ runs?$"))
    expect(button).to_have_text("Launch 1 run")
    # Leaving a page aborts its requests, which htmx reports as errors.
    page.wait_for_load_state("networkidle")
    button.click()
    page.wait_for_url(re.compile(r"/experiments/\d+/$"))
