"""Adding a field to the launch, exactly as CONTRIBUTING.md says: one line in one file of a copy of the project.

`new_launch_field.py` looks for the field at every reader of a launch; it runs in the copy.
"""

import os
import subprocess
import sys

import pytest

from tests.project_copies import copy_of_project, guide


@pytest.mark.long
def test_one_line_adds_a_field_to_every_reader_of_a_launch(tmp_path):
    header, _, added, after = guide("Adding a field to the launch").partition("```diff\n")[2].splitlines()[:4]
    copy = copy_of_project(tmp_path)
    file = copy / header.removeprefix("--- ")
    text, following = file.read_text(encoding="utf-8"), after.removeprefix(" ")
    assert text.count(following) == 1
    file.write_text(text.replace(following, f"{added.removeprefix('+')}\n{following}"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests/runs/new_launch_field.py"]
    variables = os.environ | {"ECONEVALS_DATA_DIR": str(tmp_path / "data")}
    done = subprocess.run(command, cwd=copy, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "5 passed" in done.stdout
