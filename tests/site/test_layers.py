"""Imports point one way: environments <- agents <- accounts <- runs <- analysis <- sharing <- api."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
LAYERS = {
    "environments": set(),
    "agents": {"environments"},
    "accounts": {"agents", "econevals_site"},
    "runs": {"environments", "agents", "accounts", "econevals_site"},
    "analysis": {"environments", "agents", "accounts", "runs", "econevals_site"},
    "sharing": {"environments", "agents", "accounts", "runs", "analysis", "econevals_site"},
    "api": {"environments", "agents", "accounts", "runs", "analysis", "sharing", "econevals_site"},
}
PURE = ("environments", "agents")
FRAMEWORKS = {"django", "celery", "plotly", "redis", "kombu"}


def imported(path: Path) -> set[str]:
    """Top-level names of the packages a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_imports_only_what_lies_below_it(layer):
    for path in (ROOT / layer).rglob("*.py"):
        above = (imported(path) & set(LAYERS)) - LAYERS[layer] - {layer}
        assert not above, f"{path.relative_to(ROOT)} imports {above}"


@pytest.mark.parametrize("layer", PURE)
def test_pure_packages_know_no_framework(layer):
    for path in (ROOT / layer).rglob("*.py"):
        assert not imported(path) & FRAMEWORKS, path.relative_to(ROOT)


@pytest.mark.parametrize("layer", [*PURE, "agents.providers", "agents.episode"])
def test_pure_packages_import_without_settings_and_without_the_sdks(layer):
    code = f"import sys, {layer}; assert not {{'django', 'openai', 'anthropic'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={"PATH": ""}, check=True)
