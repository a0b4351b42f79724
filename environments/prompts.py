"""Prompts and tool definitions: the papers' Appendix M, verbatim, one folder for each environment."""

import hashlib
import json
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Self


class PromptSet:
    """The prompt files of one environment.

    `system.txt` is the system prompt. `system.VARIANT.txt` replaces it; `append.VARIANT.txt` adds a paragraph to it.
    `initial.VARIANT.txt` replaces `initial.txt`, `tools.VARIANT.json` replaces `tools.json`. Files with `.reasoning`
    before the ending hold the wording for reasoning models. Earlier sets are kept in `earlier_prompts/VERSION` beside the
    folder; runs that began with one continue with it.
    """

    def __init__(self, folder: Path):
        self.folder = folder

    @cached_property
    def version(self) -> str:
        """Hash of all files of the set: twelve hexadecimal digits, stored with every run."""
        digest = hashlib.sha256()
        for path in sorted(self.folder.iterdir()):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        return digest.hexdigest()[:12]

    @cache  # noqa: B019 - one prompt set an environment, alive as long as the process
    def of_version(self, version: str) -> Self:
        """The kept set of this version; the current set if that version is not kept."""
        earlier = self.folder.parent / "earlier_prompts" / version
        return type(self)(earlier) if version and version != self.version and earlier.is_dir() else self

    @cache  # noqa: B019
    def text(self, name: str) -> str:
        return (self.folder / f"{name}.txt").read_text(encoding="utf-8").strip()

    def system(self, variant: str, *, reasoning: bool) -> str:
        text = self._variant("system", variant, ".reasoning" if reasoning else "")
        appended = self.folder / f"append.{variant}.txt"
        return f"{text}\n\n{self.text(appended.stem)}" if appended.exists() else text

    def initial(self, variant: str) -> str:
        return self._variant("initial", variant)

    @cache  # noqa: B019
    def tools(self, variant: str = "main", *, reasoning: bool) -> tuple[dict[str, Any], ...]:
        suffix = ".reasoning.json" if reasoning else ".json"
        replaced = self.folder / f"tools.{variant}{suffix}"
        path = replaced if replaced.exists() else self.folder / f"tools{suffix}"
        return tuple(json.loads(path.read_text(encoding="utf-8")))

    def _variant(self, name: str, variant: str, suffix: str = "") -> str:
        replaced = self.folder / f"{name}.{variant}{suffix}.txt"
        return self.text(replaced.stem if replaced.exists() else f"{name}{suffix}")
