"""Code of earlier versions, from the history of the repository. A copy of the code without its history has none."""

import subprocess

import pytest

from infrastructure.upgrades.age import replaced_migrations
from tests.data_folders import ROOT

WITHOUT_HEADERS = [f"ALTER TABLE accounts_endpoint DROP COLUMN {name}" for name in ("header_names", "sealed_headers")]
"""Takes away what a migration has added to a table since those of the version before were replaced."""

AS_AN_EARLIER_VERSION = """
DELETE FROM django_migrations WHERE substr(name, 6, 8) = 'squashed'
OR name IN ('0010_address_case', '0011_endpoint_headers') RETURNING name
"""
"""Records what the version before migrations were replaced had recorded. Other tables are those of this one."""


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
