"""Only tables and per-environment files name an environment; everything else asks what the environment declares."""

import ast
import re
import tomllib

import pytest

from environments.registry import ENVIRONMENTS
from tests.data_folders import ROOT, folder_of

TABLES = (
    "runs/launching/presets.py",
    "client/econevals/gymnasium/spaces/__init__.py",
)
PER_ENVIRONMENT = (
    "client/econevals/gymnasium/spaces/",
    # The charts of the litmus page, one or more for each litmus test.
    "analysis/answers/figures/litmus.py",
    "analysis/figures/pareto.py",
    "analysis/litmus/page.py",
    "analysis/litmus/name_tests.py",
    "analysis/litmus/name_tests.py",
)
NAME = re.compile(rf"(?<![\w-])({'|'.join(ENVIRONMENTS)})(?![\w-])")
FOLDERS = {
    f"{room}.{environment.__module__.split('.')[1]}"
    for room in ("environments", "games")
    for environment in ENVIRONMENTS.values()
}


def _files():
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]["packages"]
    for package in packages:
        if package not in ("environments", "agents", "games"):
            for path in sorted(folder_of(package).rglob("*.py")):
                if "migrations" not in path.parts:
                    yield str(path.relative_to(ROOT))


def names_in(source):
    """Lines that name an environment in a string or import from its folders. Documentation may name one."""
    if not re.search("environments|games", source) and not NAME.search(source):
        return []
    tree = ast.parse(source)
    documentation = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            found += [f"line {node.lineno}: {name!r}" for name in NAME.findall(node.value)]
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        inside = tuple(f"{folder}." for folder in FOLDERS)
        found += [f"line {node.lineno}: imports {module}" for module in modules if f"{module}.".startswith(inside)]
    return found


def test_no_other_file_mentions_an_environment():
    named = {
        file: found
        for file in _files()
        if file not in TABLES and not file.startswith(PER_ENVIRONMENT)
        if (found := names_in((ROOT / file).read_text(encoding="utf-8")))
    }
    assert not named
    assert all((ROOT / file).exists() for file in TABLES)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('if run.environment == "pricing": pass', True),
        ('KEY = "patience_vs_impatience.litmus"', True),
        ("from environments.pricing.environment import scored_periods", True),
        ("import environments.scheduling.economics", True),
        ("from environments import procurement", True),
        ("from games.pricing.screen import PricingScreen", True),
        ("from games.registry import parts_of", False),
        ('f"{agent} on pricing"', True),
        ('"""Such as pricing."""', False),
        ('slug = "pricing-local-search"', False),
        ("from environments.registry import ENVIRONMENTS", False),
    ],
)
def test_the_check_detects_names_but_allows_documentation_and_agent_slugs(source, found):
    assert bool(names_in(source)) is found
