"""A finder of static files in packages that do not follow Django's conventions."""

from pathlib import Path
from typing import Any

import ninja
import plotly
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

SWAGGER = ("swagger-ui.css", "swagger-ui.css.map", "swagger-ui-bundle.js")
"""Files of the interactive documentation of the API."""

PACKAGES = {
    "plotly": (Path(plotly.__file__).parent / "package_data", ("plotly.min.js",)),
    "swagger": (Path(ninja.__file__).parent / "static" / "ninja", SWAGGER),
}


class PackageFinder(BaseFinder):
    """Finds the files of PACKAGES, as `prefix/name`."""

    def __init__(self, *args: Any, **kwargs: Any):
        self.files: dict[str, tuple[str, FileSystemStorage]] = {}
        for prefix, (folder, names) in PACKAGES.items():
            storage = FileSystemStorage(folder)
            # collectstatic reads this attribute of a storage.
            storage.prefix = prefix  # type: ignore[attr-defined]
            self.files |= {f"{prefix}/{name}": (name, storage) for name in names}
        super().__init__(*args, **kwargs)

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        if path not in self.files:
            return []
        name, storage = self.files[path]
        return [storage.path(name)] if find_all else storage.path(name)

    def list(self, ignore_patterns: Any) -> Any:
        return self.files.values()
