"""Prompts and tool definitions: the papers' Appendix M, verbatim, one folder for each environment.

Own prompts are built-in variants whose texts a person has rewritten. Names and schemas of their tools stay as they are.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Self

LABELS = {"system": "System prompt", "initial": "First prompt", "reply": "Reply prompt"}

OWN = "+"
"""Between the built-in variant and the slug in the name of an own variant, such as 'main+concise'."""

MOST_BYTES = 64 * 1024
"""Of one text, in UTF-8."""

BRACED = re.compile(r"\{[A-Za-z_][^{}\s\"']{0,80}\}")
"""What a person would take for a placeholder. Dictionaries such as {'Offer_1': 2} are not meant."""


def base_variant(variant: str) -> str:
    """The built-in variant of a name, 'main' for 'main' and 'main+concise'. It decides rules, seats, length and score."""
    return variant.partition(OWN)[0]


def own_slug(variant: str) -> str:
    """The part of a name that a person chose, 'concise' for 'main+concise'; empty for built-in variants."""
    return variant.partition(OWN)[2]


CHAT = Path(__file__).parent / "chat_prompts"
"""Texts of every environment with tools: `last.txt` says that only the action counts, `call.txt` asks for a call."""


class PromptSet:
    """The prompt files of one environment.

    `system.txt` is the system prompt. `system.VARIANT.txt` replaces it; `append.VARIANT.txt` adds a paragraph to it.
    `initial.VARIANT.txt` replaces `initial.txt`, `tools.VARIANT.json` replaces `tools.json`. Files with `.reasoning`
    before the ending hold the wording for reasoning models. Earlier sets are kept in `earlier_prompts/VERSION` beside the
    folder; runs that began with one continue with it.

    labels: title by name of every text that own variants may replace, besides the descriptions of tools
    placeholders: what stands in the place of each; a text of an own variant holds those of the text that it replaces
    chat: the folder of the texts in CHAT; None for sets from before, in which the last query offers only the action tool
    """

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


class OwnPrompts(PromptSet):
    """A prompt set with all texts of one variant replaced. It has one wording, for reasoning models too.

    texts: text by name, every name of `PromptSet.texts`
    """

    def __init__(self, built_in: PromptSet, texts: Mapping[str, str]):
        super().__init__(built_in.folder, built_in.labels, built_in.placeholders)
        self.own = dict(texts)
        self.version = hashlib.sha256(json.dumps(self.own, sort_keys=True).encode()).hexdigest()[:12]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnPrompts) and (self.folder, self.own) == (other.folder, other.own)

    def __hash__(self) -> int:
        return hash((self.folder, self.version))

    def system(self, variant: str, *, reasoning: bool) -> str:
        return self.own["system"]

    def part(self, name: str, variant: str) -> str:
        return self.own[name] if name in self.own else super().part(name, variant)

    def tools(self, variant: str = "main", *, reasoning: bool) -> tuple[dict[str, Any], ...]:
        return tuple(map(self._described, super().tools(variant, reasoning=False)))

    def _described(self, tool: dict[str, Any]) -> dict[str, Any]:
        """The tool with its own descriptions. A tool or parameter that is newer than the texts keeps the built-in one."""
        name, schema = f"tools.{tool['name']}", tool["input_schema"]
        properties = {
            parameter: about | {"description": self.own.get(f"{name}.{parameter}", about["description"])}
            for parameter, about in schema["properties"].items()
        }
        described = {"description": self.own.get(name, tool["description"])}
        return tool | described | {"input_schema": schema | {"properties": properties}}


def label_of(prompts: PromptSet, name: str) -> str:
    """'System prompt', 'Tool set_prices', 'Tool set_prices: prices_dict_str'."""
    return prompts.labels.get(name) or f"Tool {name.removeprefix('tools.').replace('.', ': ')}"


def placeholders_in(prompts: PromptSet, text: str) -> list[str]:
    return [placeholder for placeholder in prompts.placeholders if placeholder in text]


def text_errors(prompts: PromptSet, variant: str, texts: Mapping[str, str]) -> dict[str, str]:
    """A sentence for each wrong text of an own variant, by name. Each holds the placeholders of the built-in text."""
    built_in = prompts.texts(variant)
    errors = {name: "There is no such text in this variant." for name in texts if name not in built_in}
    errors |= {name: "This text is missing." for name in built_in if name not in texts}
    for name in built_in.keys() & texts.keys():
        if sentence := _error(prompts, built_in[name], texts[name]):
            errors[name] = sentence
    return errors


def _error(prompts: PromptSet, built_in: str, text: str) -> str:
    if not text.strip():
        return "Write a text; the agent would get an empty one."
    if (size := len(text.encode())) > MOST_BYTES:
        return f"A text has at most {MOST_BYTES:,} bytes; this one has {size:,}."
    wanted, found = placeholders_in(prompts, built_in), placeholders_in(prompts, text)
    if missing := [placeholder for placeholder in wanted if placeholder not in found]:
        return f"The placeholder {missing[0]} is missing ({prompts.placeholders[missing[0]]})."
    braced = (match.group() for match in BRACED.finditer(text))
    if unknown := [one for one in (*found, *braced) if one not in wanted]:
        there = f"known here: {', '.join(wanted)}" if wanted else "this text has no placeholders"
        return f"{unknown[0]} is not a placeholder of this text; {there}."
    return ""


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
