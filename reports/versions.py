"""What a result depends on besides its data: versions of EconEvals, of Python and of the packages that compute."""

import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from django.conf import settings

from infrastructure.text.tables import Column, Table
from runs.services.experiments import CODE_VERSION

PACKAGES = (
    *("numpy", "scipy", "statsmodels", "highspy", "PuLP", "plotly", "Django", "anthropic", "openai"),
    "genai-prices",
)


@cache
def commit() -> str:
    """The commit of the code; empty where it is not in a Git repository, as in an image."""
    command = ["git", "-C", str(settings.BASE_DIR), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def econevals() -> str:
    """'0.1.0, commit 755c42000000'"""
    return f"{CODE_VERSION}, commit {commit()[:12]}" if commit() else CODE_VERSION


@cache
def versions() -> Table:
    rows = [("EconEvals", econevals()), ("Python", platform.python_version())]
    for name in PACKAGES:
        try:
            rows.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return Table("Software that made this report", [Column("name"), Column("version")], rows)
