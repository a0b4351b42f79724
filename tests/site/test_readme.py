"""The README and the documents match the code."""

import re
import subprocess
import sys

import pytest

from econevals_site.command_line import GROUPS
from tests.data_folders import ROOT

README = (ROOT / "README.md").read_text()


@pytest.mark.long
def test_the_script_in_the_readme_plays_an_episode_without_settings():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={"PATH": ""}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("score 0.9") or "score 1.0" in done.stdout


@pytest.mark.parametrize("path", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")], ids=str)
def test_every_linked_file_exists(path):
    for name in re.findall(r"\]\((?!http)([^)#]+)\)", path.read_text()):
        assert (path.parent / name).exists(), name


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 70


def test_every_command_in_the_documents_exists():
    known = {name for commands in GROUPS.values() for name in commands}
    for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        named = set(re.findall(r"bin/econevals ([a-z_]+)", path.read_text()))
        assert named <= known, f"{path.name}: {named - known}"
