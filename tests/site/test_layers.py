"""The house stands as CONTRIBUTING.md says: imports point one way, without circles, and no room grows over the others."""

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter

import pytest

from tests.data_folders import CLIENT, ROOT, folder_of

LAYERS = (
    ("environments", "stats"),
    ("agents",),
    ("infrastructure", "limiter", "econevals"),
    ("accounts",),
    ("runs",),
    ("discussion", "spending", "transfer", "webhooks", "backups", "findings", "stages", "guides", "episodes"),
    ("drift",),
    ("dashboard", "analysis"),
    ("notes", "instances", "reports", "play"),
    ("sharing", "api"),
    ("econevals_site",),
)
"""From the ground up. A package imports those of lower layers only, never one beside it."""

PURE = ("environments", "agents", "stats")
FRAMEWORKS = {"django", "celery", "plotly", "redis", "kombu"}
LARGEST_SHARE = 0.20
MOST_FILES = 14
MOST_LINES_OF_A_FILE = 250
MOST_LINES_OF_A_FUNCTION = 40

OF_A_TEST = re.compile(r" *(?:from|import) tests[.\w]*(?:\.| import [^#]*\b)test_")
"""An import from a test module, however it is spelled."""

FOUND = [*ROOT.glob("*/__init__.py"), *CLIENT.glob("*/__init__.py")]
PACKAGES = sorted(path.parent.name for path in FOUND if path.parent.name != "tests")


@cache
def modules():
    """Every module of the project but migrations, by its dotted name."""
    found = {}
    for path in (path for package in PACKAGES for path in folder_of(package).rglob("*.py")):
        parts = path.relative_to(CLIENT if path.is_relative_to(CLIENT) else ROOT).with_suffix("").parts
        if "migrations" not in parts:
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


@cache
def tree(path):
    return ast.parse(path.read_text())


def imported(name):
    """Modules that a module imports, anywhere in it: in functions and for types too."""
    found = set()
    for node in ast.walk(tree(modules()[name])):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert not node.level, f"{name} imports relatively"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in modules() else node.module)
    return found - {name}


def roots(package):
    """The first names of what each module of a package imports."""
    names = [name for name in modules() if name.partition(".")[0] == package]
    return {name: {module.partition(".")[0] for module in imported(name)} for name in names}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_what_lies_below_it(package):
    (level,) = (number for number, layer in enumerate(LAYERS) if package in layer)
    above = set(PACKAGES) - {name for layer in LAYERS[:level] for name in layer} - {package}
    assert {name: wrong for name, found in roots(package).items() if (wrong := found & above)} == {}


def test_no_import_runs_in_a_circle():
    """A package's __init__ may name its own modules."""
    graph = {}
    for name, path in modules().items():
        found = imported(name) & modules().keys()
        inside = path.name == "__init__.py"
        graph[name] = {module for module in found if not (inside and module.startswith(f"{name}."))}
    TopologicalSorter(graph).prepare()


def test_the_client_imports_only_pure_packages_and_no_package_imports_it():
    wrong = set().union(*roots("econevals").values()) & {*PACKAGES} - {*PURE, "econevals"}
    assert wrong == set()
    assert [name for name in PACKAGES if "econevals" in set().union(*roots(name).values())] == ["econevals"]


def test_the_client_of_a_site_needs_the_standard_library_only():
    code = (
        "import sys; before = set(sys.modules); import econevals; "
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}; "
        "assert new - {'econevals'} <= sys.stdlib_module_names, new"
    )
    subprocess.run([sys.executable, "-c", code], cwd=CLIENT, env={"PATH": ""}, check=True)


@pytest.mark.parametrize("package", PURE)
def test_pure_packages_know_no_framework(package):
    assert {name: wrong for name, found in roots(package).items() if (wrong := found & FRAMEWORKS)} == {}


@pytest.mark.parametrize("layer", [*PURE, "agents.providers", "agents.episode"])
def test_pure_packages_import_without_settings_and_without_the_sdks(layer):
    code = f"import sys, {layer}; assert not {{'django', 'openai', 'anthropic'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={"PATH": ""}, check=True)


def lines_of(path):
    return len(path.read_text().splitlines())


def test_each_package_holds_at_most_a_fifth_of_the_lines():
    sizes = Counter()
    for name, path in modules().items():
        sizes[name.partition(".")[0]] += lines_of(path)
    assert max(sizes.values()) <= LARGEST_SHARE * sizes.total(), sizes


def test_no_folder_holds_more_files_than_a_reader_takes_in():
    folders = Counter(path.parent for path in modules().values())
    assert max(folders.values()) <= MOST_FILES, folders.most_common(3)


def test_files_and_functions_are_short():
    assert [name for name, path in modules().items() if lines_of(path) > MOST_LINES_OF_A_FILE] == []
    functions = [
        (name, node)
        for name, path in modules().items()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    long = [(name, node.name) for name, node in functions if node.end_lineno - node.lineno >= MOST_LINES_OF_A_FUNCTION]
    assert long == []


def test_no_test_module_is_imported():
    """What several share is in tests/cast.py, in a conftest.py or in a module beside the tests."""
    assert OF_A_TEST.match("    from tests.play.test_games import person")
    assert OF_A_TEST.match("from tests.play import (test_games)") and OF_A_TEST.match("import tests.play.test_games")
    assert not OF_A_TEST.match("from tests.cast import LAUNCH_FORM  # of test_launch_form")
    paths = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("benchmarks/**/*.py")]
    assert [path for path in paths if any(map(OF_A_TEST.match, path.read_text().splitlines()))] == []
