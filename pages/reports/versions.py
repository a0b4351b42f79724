"""What a result depends on besides its data: versions of EconEvals, of Python and of the packages that compute."""

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from infrastructure.processes.code_version import code_version
from infrastructure.text.tables import Column, Table

PACKAGES = (
    *("numpy", "scipy", "statsmodels", "highspy", "PuLP", "plotly", "Django", "anthropic", "openai"),
    "genai-prices",
)


@cache
def versions() -> Table:
    rows = [("EconEvals", code_version()), ("Python", platform.python_version())]
    for name in PACKAGES:
        try:
            rows.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return Table("Software that made this report", [Column("name"), Column("version")], rows)
