"""Finders for static files of installed packages that do not follow Django's conventions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ninja
import plotly
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage


class PackageFinder(BaseFinder):
    """Serves some files of an installed package as `prefix/name`."""

    prefix: str
    folder: Path
    files: tuple[str, ...]

    def __init__(self, *args: Any, **kwargs: Any):
        self.storage = FileSystemStorage(self.folder)
        # collectstatic reads this attribute of a storage.
        self.storage.prefix = self.prefix  # type: ignore[attr-defined]
        super().__init__(*args, **kwargs)

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        prefix, _, name = path.partition("/")
        if prefix != self.prefix or name not in self.files:
            return []
        found = self.storage.path(name)
        return [found] if find_all else found

    def list(self, ignore_patterns: Any) -> Any:
        return ((name, self.storage) for name in self.files)


class PlotlyFinder(PackageFinder):
    prefix = "plotly"
    folder = Path(plotly.__file__).parent / "package_data"
    files = ("plotly.min.js",)


class SwaggerFinder(PackageFinder):
    """The interactive documentation of the API."""

    prefix = "swagger"
    folder = Path(ninja.__file__).parent / "static" / "ninja"
    files = ("swagger-ui.css", "swagger-ui.css.map", "swagger-ui-bundle.js")
