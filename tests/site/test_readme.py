"""What the README shows is true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
README = (ROOT / "README.md").read_text()


def test_the_script_in_the_readme_plays_an_episode_without_settings():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={"PATH": ""}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("score 0.9") or "score 1.0" in done.stdout


def test_every_file_the_readme_names_is_there():
    for name in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / name).exists(), name


def test_every_command_the_readme_names_explains_itself():
    for name in (
        "launch",
        "watch",
        "score",
        "export",
        "import",
        "instance",
        "replay",
        "work",
        "owner",
        "rotate_keys",
        "reset_link",
        "set_email",
    ):
        assert name in README
        done = subprocess.run([sys.executable, "manage.py", name, "--help"], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, name
