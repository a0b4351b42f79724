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


def new_site(folder: Path) -> None:
    """The tables, fonts and static files of a site that nobody has started."""
    variables = {"PATH": os.environ["PATH"], "ECONEVALS_DATA_DIR": str(folder)}
    for command in ("migrate", "prepare"):
        subprocess.run([sys.executable, "manage.py", command, "--verbosity", "0"], cwd=ROOT, env=variables, check=True)
    (folder / "secret_key").unlink()
