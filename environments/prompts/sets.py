"""Prompts and tool definitions: the papers' Appendix M, verbatim, one folder for each environment.

The variant `as_run` has the texts that the published experiments sent to their agents.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Self

from environments.prompts.variants import AS_RUN, texts_slug

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
    as_run: what AsRunPrompts sends otherwise; empty for these sets
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


CHATS = 10
"""Chats that an agent had for a period."""


class AsRunPrompts(PromptSet):
    """The prompts of an environment as the experiments sent them, and how its tools answered.

    The texts are those of the released code. Each environment with tools has them in `as_run.json`:

    replacements: parts of the printed prompts and tools, and what the experiments sent in their place
    keys: by getter, the key of the printed dictionary in which it answered
    again: by getter, what it answered when it was asked again in a chat; the others answered in full
    tells_wrong_actions: whether the agent was told what is wrong with an action. Every other wrong call ended the chat
    """

    def __init__(self, printed: PromptSet):
        super().__init__(printed.folder, printed.labels, printed.placeholders)
        content = _file(printed).read_bytes()
        self.as_run = json.loads(content)
        self.version = hashlib.sha256(printed.version.encode() + content).hexdigest()[:12]

    def text(self, name: str) -> str:
        return self._sent(super().text(name))

    def tools(self, variant: str = "main", *, reasoning: bool) -> tuple[dict[str, Any], ...]:
        return tuple(
            tool | {"description": self._sent(tool["description"])}
            for tool in super().tools(variant, reasoning=reasoning)
        )

    def _sent(self, text: str) -> str:
        for printed, sent in self.as_run["replacements"].items():
            text = text.replace(printed, sent)
        return text

    def answer(self, tool: str, value: object) -> str:
        """The print of a dictionary, in which line breaks are escaped."""
        key = self.as_run["keys"].get(tool)
        return str({key: value} if key else value)

    def again(self, history_tool: str) -> Mapping[str, str]:
        return dict(self.as_run["again"])

    def history(self, past: Iterable[str], none: str) -> str:
        return "".join(f"{text}\n\n" for text in past)


def _file(printed: PromptSet) -> Path:
    return printed.folder.parent / "as_run.json"


@cache
def as_run_prompts(printed: PromptSet) -> AsRunPrompts | None:
    """What the experiments sent in place of these prompts; None for environments without tools, as nothing differs."""
    return AsRunPrompts(printed) if _file(printed).exists() else None


def prompts_of(printed: PromptSet, variant: str, version: str = "") -> PromptSet:
    """The prompts of a built-in variant; the printed ones of an earlier version if it is kept."""
    return (texts_slug(variant) == AS_RUN and as_run_prompts(printed)) or printed.of_version(version)
