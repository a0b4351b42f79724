"""Copies of the project, to which a test adds what CONTRIBUTING.md shows."""

import shutil
from pathlib import Path

from tests.data_folders import ROOT

NOT_COPIED = shutil.ignore_patterns(
    ".*", "data", "build", "staticfiles", "__pycache__", "new_game", "test-costs", "test-results"
)


def copy_of_project(folder: Path) -> Path:
    copy = folder / "econevals"
    shutil.copytree(ROOT, copy, ignore=NOT_COPIED)
    return copy


def guide(heading: str) -> str:
    """The section of CONTRIBUTING.md with this heading."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
