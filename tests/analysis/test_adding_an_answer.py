"""Adding an answer as CONTRIBUTING.md says: one file and a template, and every door has it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project_copies import copy_of_project

TOY = Path(__file__).parent / "toy_answer"


@pytest.mark.long
def test_one_file_and_a_template_add_an_answer_to_every_door(tmp_path):
    copy = copy_of_project(tmp_path)
    for added in ("analysis", "templates"):
        shutil.copytree(TOY / added, copy / added, dirs_exist_ok=True)
    checks = shutil.copy(TOY / "check_lengths.py", copy / "tests/analysis/check_lengths.py")
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", str(checks)]
    # The copy must not share the database of this test.
    own = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "ECONEVALS_DATA_DIR": str(tmp_path / "data")}
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False, env=own)
    assert done.returncode == 0 and done.stdout.startswith("....."), done.stdout + done.stderr
