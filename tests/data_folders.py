"""Data folders that take long to make: one of a kind is made in a test run, and every site gets a copy."""

import atexit
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLIENT = ROOT / "client"
SHARED = "ECONEVALS_TEST_SHARED"
"""The variable by which the processes of a test run know the folder of what they share."""

if SHARED not in os.environ:
    os.environ[SHARED] = tempfile.mkdtemp(prefix="econevals-shared-")
    atexit.register(shutil.rmtree, os.environ[SHARED], ignore_errors=True)


def folder_of(package: str) -> Path:
    """A package of the site is a folder of the repository; that of the client is in the client's folder."""
    return (CLIENT if package == "econevals" else ROOT) / package


def copy_of(make: Callable[[Path], None], folder: Path) -> None:
    """Fill a data folder with a copy of the one that `make` fills, which it does once in a test run."""
    made = Path(os.environ[SHARED]) / make.__name__
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            draft = made.with_suffix(".draft")
            shutil.rmtree(draft, ignore_errors=True)  # of an attempt that failed
            make(draft)
            draft.rename(made)
    shutil.copytree(made, folder, dirs_exist_ok=True)


FIRST_START = """
from django.core.management import call_command
for command in ("migrate", "prepare"):
    call_command(command, verbosity=0)
"""


def run_on(folder: Path, script: str, **variables: str) -> str:
    """Run Python code on the data in a folder and return what it printed."""
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", script]
    variables = os.environ | {"ECONEVALS_DATA_DIR": str(folder)} | variables
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def new_site(folder: Path) -> None:
    """The tables, fonts and static files of a site that has never started."""
    run_on(folder, FIRST_START, DATABASE_URL="", SECRET_KEY="")
    (folder / "secret_key").unlink()
