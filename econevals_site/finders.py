"""Static files that installed packages ship outside Django's conventions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import plotly
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage


class PlotlyFinder(BaseFinder):
    """Serves `plotly/plotly.min.js` from the installed plotly package."""

    files = ("plotly.min.js",)

    def __init__(self, *args: Any, **kwargs: Any):
        self.storage = FileSystemStorage(Path(plotly.__file__).parent / "package_data")
        self.storage.prefix = "plotly"
        super().__init__(*args, **kwargs)

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        prefix, _, name = path.partition("/")
        if prefix != self.storage.prefix or name not in self.files:
            return []
        found = self.storage.path(name)
        return [found] if find_all else found

    def list(self, ignore_patterns: Any) -> Any:
        return ((name, self.storage) for name in self.files)
