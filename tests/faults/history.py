"""Code of earlier versions, from the history of the repository. A copy of the code without its history has none."""

import subprocess

import pytest
from django.db.migrations.loader import MigrationLoader

from infrastructure.upgrades.age import replaced_migrations
from tests.data_folders import ROOT


def as_an_earlier_version():
    """SQL that leaves recorded what the version before migrations were replaced had recorded. Its tables are the same."""
    names = ", ".join(f"'{name}'" for _, name in MigrationLoader(None).replacements)
    return f"DELETE FROM django_migrations WHERE name IN ({names}) RETURNING name"


def last_version():
    """The last version with every migration that was replaced."""
    return before("D", "runs/migrations/0033_search_proofs.py")


def git(*words):
    """The output of git; empty without git or without the requested object."""
    try:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True).stdout
    except FileNotFoundError:
        return b""


def commits(*words):
    """From the newest one back, each as the merges of the main line saw it."""
    return git("log", "--first-parent", "--format=%H", *words).decode().split()


def code_of(commit, folder):
    """The code of a commit in a folder. Skips the test where the commit, or any history, is missing."""
    archive = git("archive", commit) if commit else b""
    if not archive:
        pytest.skip("The history of the code is not there.")
    folder.mkdir()
    subprocess.run(["tar", "--extract", "--directory", folder], input=archive, check=True)
    return folder


def migrations_at(commit):
    """app/migrations/file of each, since apps have moved into rooms."""
    files = git("ls-tree", "-r", "--name-only", commit).decode().split("\n")
    return {"/".join(name.split("/")[-3:]) for name in files if "/migrations/" in name}


def replaced_files():
    return {f"{app}/migrations/{name}.py" for app, name in replaced_migrations()}


def before(change, path):
    """The commit before the newest one that changed a file in this way: A added it, D deleted it. None is an empty string."""
    changed = commits("-1", f"--diff-filter={change}", "--", path)
    return f"{changed[0]}^" if changed else ""
