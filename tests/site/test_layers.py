"""The architecture in CONTRIBUTING.md: one-way imports without circles, and rooms of limited size."""

import ast
import re
import subprocess
import sys
from collections import Counter
from graphlib import TopologicalSorter

import pytest

from tests.data_folders import CLIENT, ROOT
from tests.house import (
    LAYERS,
    PACKAGES,
    ROOMS,
    arrows,
    bound_names,
    imported,
    lines_of,
    modules,
    package_of,
    sizes,
    tree,
    vague_names,
)

HALLS = {"workspace", "pages"}
"""Rooms that consist of parts only."""

MOST_ROOMS = 16
PURE = ("environments", "agents", "stats")
FRAMEWORKS = {"django", "celery", "plotly", "redis", "kombu"}
LARGEST_SHARE = 0.20
MOST_FILES = 14
MOST_LINES_OF_A_FILE = 250
MOST_LINES_OF_A_FUNCTION = 40
MOST_VAGUE = 0.003

OF_A_TEST = re.compile(r" *(?:from|import) tests[.\w]*(?:\.| import [^#]*\b)test_")
"""An import from a test module, however it is spelled."""


def imported_packages(package):
    """What each module of a package imports, as packages of the layers or the first names of other modules."""
    names = [name for name in modules() if package_of(name) == package]
    return {name: {package_of(module) for module in imported(name)} for name in names}


def test_the_guide_for_contributors_lists_the_layers():
    table = (
        (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## The rooms")[2].partition("`client/`")[0]
    )
    rows = re.findall(r"^\| (\d*) ?\| `([\w.]+)` \|", table, re.MULTILINE)
    listed, line = {}, 0
    for number, package in rows:
        line = int(number) if number else line
        listed.setdefault(line, []).append(package)
    assert [sorted(listed[line]) for line in sorted(listed)] == [sorted(layer) for layer in LAYERS]


def test_every_module_is_in_a_layer():
    assert {package_of(name) for name in modules()} - HALLS == set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_lower_packages(package):
    (level,) = (number for number, layer in enumerate(LAYERS) if package in layer)
    above = set(PACKAGES) - {name for layer in LAYERS[:level] for name in layer} - {package}
    assert {name: wrong for name, names in imported_packages(package).items() if (wrong := names & above)} == {}


def test_no_rooms_import_each_other_in_a_circle():
    assert len(ROOMS) <= MOST_ROOMS
    TopologicalSorter(arrows()).prepare()


def test_no_modules_import_each_other_in_a_circle():
    """A package's __init__ may name its own modules."""
    graph = {}
    for name, path in modules().items():
        found = imported(name) & modules().keys()
        inside = path.name == "__init__.py"
        graph[name] = {module for module in found if not (inside and module.startswith(f"{name}."))}
    TopologicalSorter(graph).prepare()


def test_the_client_imports_only_pure_packages_and_is_not_imported():
    wrong = set().union(*imported_packages("econevals").values()) & {*PACKAGES} - {*PURE, "econevals"}
    assert wrong == set()
    assert [name for name in PACKAGES if "econevals" in set().union(*imported_packages(name).values())] == ["econevals"]


def test_the_client_of_a_site_needs_only_the_standard_library():
    code = (
        "import sys; before = set(sys.modules); import econevals; "
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}; "
        "assert new - {'econevals'} <= sys.stdlib_module_names, new"
    )
    subprocess.run([sys.executable, "-c", code], cwd=CLIENT, env={"PATH": ""}, check=True)


@pytest.mark.parametrize("package", PURE)
def test_pure_packages_import_no_framework(package):
    assert {name: wrong for name, found in imported_packages(package).items() if (wrong := found & FRAMEWORKS)} == {}


@pytest.mark.parametrize("layer", [*PURE, "agents.providers", "agents.episode"])
def test_pure_packages_import_without_settings_and_without_the_sdks(layer):
    code = f"import sys, {layer}; assert not {{'django', 'openai', 'anthropic'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={"PATH": ""}, check=True)


def test_each_room_has_at_most_a_fifth_of_the_lines():
    assert sizes().most_common(1)[0][1] <= LARGEST_SHARE * sizes().total(), sizes()


def test_no_folder_has_too_many_files():
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


def test_vague_names_are_rare():
    vague = vague_names()
    assert len(vague) <= MOST_VAGUE * sum(1 for _ in bound_names()), vague


def test_no_test_module_is_imported():
    """What several share is in tests/cast.py, in a conftest.py or in a module beside the tests."""
    assert OF_A_TEST.match("    from tests.pages.play.test_games import person")
    assert OF_A_TEST.match("from tests.pages.play import (test_games)") and OF_A_TEST.match(
        "import tests.pages.play.test_games"
    )
    assert not OF_A_TEST.match("from tests.cast import LAUNCH_FORM  # of test_launch_form")
    paths = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("benchmarks/**/*.py")]
    assert [path for path in paths if any(map(OF_A_TEST.match, path.read_text().splitlines()))] == []
