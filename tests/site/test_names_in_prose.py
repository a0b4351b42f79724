"""Comments, docstrings and documents name files, modules and commands that exist."""

import ast
import re
import subprocess
import tokenize
from functools import cache

import pytest

from econevals_site.command_line import GROUPS
from tests.data_folders import ROOT

PROSE = {".md", ".html"}
COMMENT = re.compile(r"\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}|<!--.*?-->", re.DOTALL)
PATH = re.compile(r"(?<![\w/.:{}<>$~*-])(\w[\w-]*(?:/[\w.-]+)+)")
MODULE = re.compile(r"(?<![\w/.:-])([a-z_]+(?:\.[a-z_]+)+)(?![\w(/-])")
NAMED = re.compile(r"(?:bin/econevals|manage\.py) +([a-z_]+)")
WRITTEN = (".json", ".csv")
"""Endings of files that programs write."""

EXAMPLE = "guessing"
"""The environment that CONTRIBUTING.md adds as an example."""

INTERNAL = {"serve", "prepare", "makemigrations", "migrate", "shell", "check"}
"""Commands of the site and of Django that people do not call by name, and that a text may explain."""


@cache
def files():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def prose_of(path):
    """The texts of a file that speak to a reader."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return [text]
    if path.suffix == ".html":
        return COMMENT.findall(text)
    docstrings = [
        node.value.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    with path.open("rb") as file:
        return [*docstrings, *(one.string for one in tokenize.tokenize(file.readline) if one.type == tokenize.COMMENT)]


def spoken():
    """(file, text) of everything that speaks about the code."""
    for path in files():
        is_frozen = "migrations" in path.parts or path.is_relative_to(ROOT / "docs" / "examples")
        if path.suffix in {*PROSE, ".py"} and not is_frozen:
            yield from ((path, text) for text in prose_of(path))


@cache
def roots():
    return {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")}


def exists(name, folder):
    """Whether a path names a file, a folder or a module, from the root or from the folder of the text."""
    name = name.rstrip(".")
    bases = (ROOT, ROOT / "templates", folder)
    return any((base / f"{name}{ending}").exists() for base in bases for ending in ("", ".py", ".md"))


def is_defined(name):
    """Whether a dotted name is a module, or something that a module defines."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        place = ROOT.joinpath(*parts[:length])
        file = place.with_suffix(".py") if place.with_suffix(".py").exists() else place / "__init__.py"
        if file.exists():
            rest = parts[length:]
            return not rest or re.search(rf"\b{rest[0]}\b", file.read_text(encoding="utf-8")) is not None
    return False


def gone(path, text):
    """What a text names and what is not there."""
    named = [name for name in PATH.findall(text) if name.split("/")[0] in roots() and not exists(name, path.parent)]
    dotted = [
        name
        for name in MODULE.findall(text)
        if name.split(".")[0] in roots()
        and not is_defined(name)
        and not name.endswith(WRITTEN)
        and not exists(name, path.parent)
    ]
    return [name for name in (*named, *dotted) if EXAMPLE not in name]


@pytest.mark.long
def test_texts_refer_only_to_existing_files_and_modules():
    wrong = {(str(path.relative_to(ROOT)), name) for path, text in spoken() for name in gone(path, text)}
    assert not wrong, sorted(wrong)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("See docs/architecture for it.", ["docs/architecture"]),
        ("See docs/statistics.md and tests/site.", []),
        ("As in analysis.notes.study.nothing.", ["analysis.notes.study.nothing"]),
        ("As `runs.events` says.", []),
        ("The page /runs/12/ and agents/models in words.", ["agents/models"]),
    ],
)
def test_the_check_detects_a_missing_name(text, names):
    assert gone(ROOT / "docs" / "x.md", text) == names


def test_commands_in_pages_programs_and_documents_exist():
    known = {name for commands in GROUPS.values() for name in commands} | INTERNAL
    shipped = [path for path in files() if path.suffix in {*PROSE, ".py"} and "tests" not in path.parts]
    wrong = {
        (str(path.relative_to(ROOT)), name)
        for path in shipped
        for name in NAMED.findall(path.read_text(encoding="utf-8"))
        if name not in known
    }
    assert not wrong, sorted(wrong)
