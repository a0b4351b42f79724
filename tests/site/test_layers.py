"""The house stands as docs/architecture says: imports point one way, without circles, and no room grows over the others."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
LAYERS = (
    ("environments",),
    ("agents",),
    ("infrastructure", "limiter"),
    ("accounts",),
    ("runs",),
    ("discussion", "spending", "transfer", "webhooks", "backups"),
    ("dashboard", "analysis"),
    ("sharing", "api"),
    ("econevals_site",),
)
"""From the ground up. A package imports those of lower layers only, never one beside it."""

PURE = ("environments", "agents")
FRAMEWORKS = {"django", "celery", "plotly", "redis", "kombu"}
LARGEST_SHARE = 0.20
MOST_FILES = 14
MOST_LINES_OF_A_FILE = 250
MOST_LINES_OF_A_FUNCTION = 40


@cache
def packages() -> tuple[str, ...]:
    return tuple(sorted(path.parent.name for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"))


@cache
def modules() -> dict[str, Path]:
    """Every module of the project but migrations, by its dotted name."""
    found = {}
    for package in packages():
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if "migrations" not in parts:
                found[".".join(parts).removesuffix(".__init__")] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def imported(name: str) -> set[str]:
    """Modules that a module imports, anywhere in it: in functions and for types too."""
    found: set[str] = set()
    for node in ast.walk(tree(modules()[name])):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert not node.level, f"{name} imports relatively"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in modules() else node.module)
    return found - {name}


def test_every_package_has_a_layer() -> None:
    assert {package for layer in LAYERS for package in layer} == set(packages())


@pytest.mark.parametrize("package", packages())
def test_a_package_imports_only_what_lies_below_it(package: str) -> None:
    level = next(number for number, layer in enumerate(LAYERS) if package in layer)
    below = {name for layer in LAYERS[:level] for name in layer} | {package}
    for name in modules():
        if name.partition(".")[0] == package:
            above = {top for module in imported(name) if (top := module.partition(".")[0]) in packages()} - below
            assert not above, f"{name} imports {above}"


def test_no_import_runs_in_a_circle() -> None:
    """A package's __init__ may name its own modules."""
    graph = {}
    for name, path in modules().items():
        found = imported(name) & modules().keys()
        inside = path.name == "__init__.py"
        graph[name] = {module for module in found if not (inside and module.startswith(f"{name}."))}
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("package", PURE)
def test_pure_packages_know_no_framework(package: str) -> None:
    for name in modules():
        if name.partition(".")[0] == package:
            assert not {module.partition(".")[0] for module in imported(name)} & FRAMEWORKS, name


@pytest.mark.parametrize("layer", [*PURE, "agents.providers", "agents.episode"])
def test_pure_packages_import_without_settings_and_without_the_sdks(layer: str) -> None:
    code = f"import sys, {layer}; assert not {{'django', 'openai', 'anthropic'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={"PATH": ""}, check=True)


def lines_of(path: Path) -> int:
    return len(path.read_text().splitlines())


def test_no_package_holds_more_than_a_fifth_of_the_lines() -> None:
    sizes = dict.fromkeys(packages(), 0)
    for name, path in modules().items():
        sizes[name.partition(".")[0]] += lines_of(path)
    total = sum(sizes.values())
    assert {name: size for name, size in sizes.items() if size > LARGEST_SHARE * total} == {}


def test_no_folder_holds_more_files_than_a_reader_takes_in() -> None:
    folders: dict[Path, int] = {}
    for path in modules().values():
        folders[path.parent] = folders.get(path.parent, 0) + 1
    assert {str(folder): count for folder, count in folders.items() if count > MOST_FILES} == {}


def test_files_and_functions_are_short() -> None:
    long = [f"{name}: {lines_of(path)}" for name, path in modules().items() if lines_of(path) > MOST_LINES_OF_A_FILE]
    for name, path in modules().items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                if length > MOST_LINES_OF_A_FUNCTION:
                    long.append(f"{name}.{node.name}: {length}")
    assert not long
