"""Build hook that puts the pure packages of the repository into the wheel, below `econevals.vendored`.

Other distributions have packages with the same names, `environments` and `agents`. So the wheel does not claim these names.
The hook rewrites the imports of its modules instead, as pip does with its own vendored packages.
"""

import re
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VENDORED = ("environments", "agents")
LEFT_OUT = "agents/providers/"
"""Folder that is left out of the wheel. It needs the packages of model providers, and no game needs it."""

IMPORT = re.compile(rf"^(\s*(?:from|import)) ({'|'.join(VENDORED)})\b", re.MULTILINE)
FILES = (".py", ".typed", ".txt", ".json")


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        client = Path(self.root)
        self._written = tempfile.TemporaryDirectory(prefix="econevals-wheel-")
        self._add(client / "econevals", "econevals", build_data)
        for package in VENDORED:
            folder = client.parent / package
            if not folder.is_dir():
                raise FileNotFoundError(f"{folder} is missing: the client is built inside the repository of EconEvals.")
            self._add(folder, f"econevals/vendored/{package}", build_data)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self._written.cleanup()

    def _add(self, folder: Path, target: str, build_data: dict[str, Any]) -> None:
        for source in sorted(path for path in folder.rglob("*") if path.suffix in FILES):
            if source.relative_to(folder.parent).as_posix().startswith(LEFT_OUT):
                continue
            name = f"{target}/{source.relative_to(folder).as_posix()}"
            if source.suffix == ".py":
                text = source.read_text(encoding="utf-8")
                source = Path(self._written.name, name)
                source.parent.mkdir(parents=True, exist_ok=True)
                source.write_text(IMPORT.sub(r"\1 econevals.vendored.\2", text), encoding="utf-8")
            build_data["force_include"][str(source)] = name
