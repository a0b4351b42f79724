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
"""Texts for all environments with tools: `last.txt` says that only the action counts, `call.txt` asks for a call."""


class PromptSet:
    """The prompt files of one environment.

    `system.txt` is the system prompt. `system.VARIANT.txt` replaces it; `append.VARIANT.txt` adds a paragraph to it.
    `initial.VARIANT.txt` replaces `initial.txt`, `tools.VARIANT.json` replaces `tools.json`. Files with `.reasoning`
    before the ending contain the wording for reasoning models. Earlier sets are kept in `earlier_prompts/VERSION` beside the
    folder. A run that began with an earlier set continues with it.

    labels: title by name of every text that own variants may replace, except the descriptions of tools
    placeholders: meaning of each placeholder; a text of an own variant must have those of the text that it replaces
    as_run: the differences that AsRunPrompts applies; empty for other sets
    chat: the folder CHAT; None for older sets without its texts, whose last query offers only the action tool
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
        """The prompt set of an earlier version; the current set if that version was not kept."""
        without_chat = type(self)(self.folder, self.labels, self.placeholders, None)
        if version == without_chat.version:
            return without_chat
        earlier = self.folder.parent / "earlier_prompts" / version
        is_kept = version and version != self.version and earlier.is_dir()
        return type(self)(earlier, self.labels, self.placeholders, None) if is_kept else self

    def chat_text(self, name: str) -> str:
        """The text 'last' or 'call' of the folder CHAT; empty for older sets."""
        return _text(self.chat_folder, name) if self.chat_folder else ""

    def text(self, name: str) -> str:
        return _text(self.folder, name)

    def answer(self, tool: str, value: object) -> str:
        """The text of a getter's answer."""
        return str(value)

    def again(self, history_tool: str) -> Mapping[str, str]:
        """Short answers, by tool, of getters that are called again in the same chat. Other getters repeat the full answer."""
        return {history_tool: ALREADY_GIVEN}

    def history(self, past: Iterable[str], none: str) -> str:
        """The texts of the past periods joined; `none` if there are no past periods."""
        return "\n\n".join(past) or none

    def listing(self, lines: Iterable[str]) -> str:
        """The lines of a getter's answer joined."""
        return "\n".join(lines)

    def system(self, variant: str, *, reasoning: bool) -> str:
        text = self.text(self._file("system", variant, ".reasoning" if reasoning else ""))
        appended = f"append.{variant}"
        return f"{text}\n\n{self.text(appended)}" if _exists(self.folder, appended) else text

    def part(self, name: str, variant: str) -> str:
        """The text with this name, such as 'initial', in a variant."""
        return self.text(self._file(name, variant))

    def tools(self, variant: str = "main", *, reasoning: bool) -> tuple[dict[str, Any], ...]:
        return _tools(self.folder, variant, ".reasoning.json" if reasoning else ".json")

    def texts(self, variant: str) -> dict[str, str]:
        """All texts of a built-in variant that own variants may replace, by name, in the standard wording.

        The names are those of `labels`, 'tools.NAME' for a tool, and 'tools.NAME.PARAMETER' for a parameter of a tool.
        """
        texts = {
            name: self.system(variant, reasoning=False) if name == "system" else self.part(name, variant)
            for name in self.labels
            if name == "system" or _exists(self.folder, self._file(name, variant))
        }
        for tool in self.tools(variant, reasoning=False) if (self.folder / "tools.json").exists() else ():
            texts[f"tools.{tool['name']}"] = tool["description"]
            for parameter, schema in tool["input_schema"]["properties"].items():
                texts[f"tools.{tool['name']}.{parameter}"] = schema["description"]
        return texts

    def _file(self, name: str, variant: str, suffix: str = "") -> str:
        """The file name of a text in a variant, without its extension."""
        replaced = f"{name}.{variant}{suffix}"
        return replaced if _exists(self.folder, replaced) else f"{name}{suffix}"


@cache
def _exists(folder: Path, name: str) -> bool:
    """Whether the folder has this text. Cached, because every period asks about a dozen times."""
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
"""Maximum number of chats for a period in the published experiments."""


class AsRunPrompts(PromptSet):
    """The prompts of an environment as the experiments sent them, and the answers of its tools.

    The texts come from the released code. Each environment with tools has them in `as_run.json`:

    replacements: parts of the prompts and tools printed in the paper, with the texts that the experiments sent instead
    keys: by getter, the key of its answer in the printed dictionary; other getters have no key
    again: for each getter, its answer to a repeated call in a chat; other getters answered in full
    tells_wrong_actions: whether the agent learned what was wrong with an action; any other wrong call ended the chat
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
        """The answer as a printed dictionary, with escaped line breaks."""
        key = self.as_run["keys"].get(tool)
        return str({key: value} if key else value)

    def again(self, history_tool: str) -> Mapping[str, str]:
        return dict(self.as_run["again"])

    def history(self, past: Iterable[str], none: str) -> str:
        return "".join(f"{text}\n\n" for text in past)

    def listing(self, lines: Iterable[str]) -> str:
        return f"{super().listing(lines)}\n"


def _file(printed: PromptSet) -> Path:
    return printed.folder.parent / "as_run.json"


@cache
def as_run_prompts(printed: PromptSet) -> AsRunPrompts | None:
    """The prompts that the experiments sent. None for environments without tools, which have no differences."""
    return AsRunPrompts(printed) if _file(printed).exists() else None


def prompts_of(printed: PromptSet, variant: str, version: str = "") -> PromptSet:
    """The prompts of a variant with built-in texts. `version`: an earlier version of the printed prompts, if it was kept."""
    return (texts_slug(variant) == AS_RUN and as_run_prompts(printed)) or printed.of_version(version)
