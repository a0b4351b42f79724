"""Prompts and tool definitions: the papers' Appendix M, verbatim, one folder for each environment."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Self

LABELS = {"system": "System prompt", "initial": "First prompt", "reply": "Reply prompt"}

ALREADY_GIVEN = "This data was already given above in this period. Use it to write notes or to take your action."

CHAT = Path(__file__).parent / "chat"
"""Texts of every environment with tools: `last.txt` says that only the action counts, `call.txt` asks for a call."""


class PromptSet:
    """The prompt files of one environment.

    `system.txt` is the system prompt. `system.VARIANT.txt` replaces it; `append.VARIANT.txt` adds a paragraph to it.
    `initial.VARIANT.txt` replaces `initial.txt`, `tools.VARIANT.json` replaces `tools.json`. Files with `.reasoning`
    before the ending hold the wording for reasoning models. Earlier sets are kept in `earlier_prompts/VERSION` beside the
    folder; runs that began with one continue with it.

    labels: title by name of every text that own variants may replace, besides the descriptions of tools
    placeholders: what stands in the place of each; a text of an own variant holds those of the text that it replaces
    as_run: what `environments.prompts.as_run` sends otherwise; empty for these sets
    chat: the folder of the texts in CHAT; None for sets from before, in which the last query offers only the action tool
    """

    as_run: Mapping[str, Any] = {}

    def __init__(
        self,
        folder: Path,
        labels: Mapping[str, str] = LABELS,
        placeholders: Mapping[str, str] | None = None,
        chat: Path | None = CHAT,
    ):
        self.folder = folder
        self.labels = labels
        self.placeholders = placeholders or {}
        self.chat_folder = chat if (folder / "tools.json").exists() else None

    @cached_property
    def version(self) -> str:
        """Hash of all files of the set: twelve hexadecimal digits, stored with every run."""
        digest = hashlib.sha256()
        for path in (*sorted(self.folder.iterdir()), *(sorted(self.chat_folder.iterdir()) if self.chat_folder else ())):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        return digest.hexdigest()[:12]

    @cache  # noqa: B019 - one prompt set an environment, alive as long as the process
    def of_version(self, version: str) -> Self:
        """The kept set of this version; the current set if that version is not kept."""
        without_chat = type(self)(self.folder, self.labels, self.placeholders, None)
        if version == without_chat.version:
            return without_chat
        earlier = self.folder.parent / "earlier_prompts" / version
        is_kept = version and version != self.version and earlier.is_dir()
        return type(self)(earlier, self.labels, self.placeholders, None) if is_kept else self

    def chat_text(self, name: str) -> str:
        """'last' or 'call'; empty for sets from before."""
        return _text(self.chat_folder, name) if self.chat_folder else ""

    def text(self, name: str) -> str:
        return _text(self.folder, name)

    def answer(self, tool: str, value: object) -> str:
        """The text of a getter's answer."""
        return str(value)

    def again(self, history_tool: str) -> Mapping[str, str]:
        """What getters answer when they are asked again in a chat, by tool; the others answer in full."""
        return {history_tool: ALREADY_GIVEN}

    def history(self, past: Iterable[str], none: str) -> str:
        """The texts of the past periods in one, `none` if there is none."""
        return "\n\n".join(past) or none

    def system(self, variant: str, *, reasoning: bool) -> str:
        text = self.text(self._file("system", variant, ".reasoning" if reasoning else ""))
        appended = f"append.{variant}"
        return f"{text}\n\n{self.text(appended)}" if _exists(self.folder, appended) else text

    def part(self, name: str, variant: str) -> str:
        """The text of this name in a variant, such as 'initial'."""
        return self.text(self._file(name, variant))

    def tools(self, variant: str = "main", *, reasoning: bool) -> tuple[dict[str, Any], ...]:
        return _tools(self.folder, variant, ".reasoning.json" if reasoning else ".json")

    def texts(self, variant: str) -> dict[str, str]:
        """Every text of a built-in variant that own variants may replace, by name, in the standard wording.

        Besides the names of `labels`: 'tools.NAME' describes a tool, 'tools.NAME.PARAMETER' a parameter of it.
        """
        texts = {}
        for name in self.labels:
            if name == "system":
                texts[name] = self.system(variant, reasoning=False)
            elif _exists(self.folder, self._file(name, variant)):
                texts[name] = self.part(name, variant)
        for tool in self.tools(variant, reasoning=False) if (self.folder / "tools.json").exists() else ():
            texts[f"tools.{tool['name']}"] = tool["description"]
            for parameter, schema in tool["input_schema"]["properties"].items():
                texts[f"tools.{tool['name']}.{parameter}"] = schema["description"]
        return texts

    def _file(self, name: str, variant: str, suffix: str = "") -> str:
        """The name of the file without its ending."""
        replaced = f"{name}.{variant}{suffix}"
        return replaced if _exists(self.folder, replaced) else f"{name}{suffix}"


@cache
def _exists(folder: Path, name: str) -> bool:
    """Whether the folder has this text. Kept, since every period needs a dozen answers."""
    return (folder / f"{name}.txt").exists()


@cache
def _text(folder: Path, name: str) -> str:
    return (folder / f"{name}.txt").read_text(encoding="utf-8").strip()


@cache
def _tools(folder: Path, variant: str, ending: str) -> tuple[dict[str, Any], ...]:
    replaced = folder / f"tools.{variant}{ending}"
    path = replaced if replaced.exists() else folder / f"tools{ending}"
    return tuple(json.loads(path.read_text(encoding="utf-8")))
