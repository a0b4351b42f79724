"""Own prompts: built-in variants with texts rewritten by a user. The names and schemas of the tools do not change."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from environments.prompts.sets import PromptSet

MOST_BYTES = 64 * 1024
"""Maximum size of one text, in UTF-8."""

BRACED = re.compile(r"\{[A-Za-z_][^{}\s\"']{0,80}\}")
"""Pattern for text that looks like a placeholder. It does not match dictionaries such as {'Offer_1': 2}."""


class OwnPrompts(PromptSet):
    """A prompt set with all texts of one variant replaced. Reasoning models get the same wording.

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
        """The tool with the user's descriptions. Tools and parameters newer than the texts keep the built-in ones."""
        name, schema = f"tools.{tool['name']}", tool["input_schema"]
        properties = {
            parameter: about | {"description": self.own.get(f"{name}.{parameter}", about["description"])}
            for parameter, about in schema["properties"].items()
        }
        described = {"description": self.own.get(name, tool["description"])}
        return tool | described | {"input_schema": schema | {"properties": properties}}


def label_of(prompts: PromptSet, name: str) -> str:
    """The title of a text, such as 'System prompt', 'Tool set_prices' or 'Tool set_prices: prices_dict_str'."""
    return prompts.labels.get(name) or f"Tool {name.removeprefix('tools.').replace('.', ': ')}"


def placeholders_in(prompts: PromptSet, text: str) -> list[str]:
    return [placeholder for placeholder in prompts.placeholders if placeholder in text]


def text_errors(prompts: PromptSet, variant: str, texts: Mapping[str, str]) -> dict[str, str]:
    """An error sentence for each invalid text of an own variant, by name.

    A text must contain the placeholders of the built-in text.
    """
    built_in = prompts.texts(variant)
    errors = {name: "There is no such text in this variant." for name in texts if name not in built_in}
    errors |= {name: "This text is missing." for name in built_in if name not in texts}
    return errors | {
        name: sentence
        for name in built_in.keys() & texts.keys()
        if (sentence := _error(prompts, built_in[name], texts[name]))
    }


def _error(prompts: PromptSet, built_in: str, text: str) -> str:
    if not text.strip():
        return "Write a text; the agent would get an empty one."
    if (size := len(text.encode())) > MOST_BYTES:
        return f"A text has at most {MOST_BYTES:,} bytes; this one has {size:,}."
    required, used = placeholders_in(prompts, built_in), placeholders_in(prompts, text)
    if missing := [placeholder for placeholder in required if placeholder not in used]:
        return f"The placeholder {missing[0]} is missing ({prompts.placeholders[missing[0]]})."
    braced = (match.group() for match in BRACED.finditer(text))
    if unknown := [placeholder for placeholder in (*used, *braced) if placeholder not in required]:
        there = f"known here: {', '.join(required)}" if required else "this text has no placeholders"
        return f"{unknown[0]} is not a placeholder of this text; {there}."
    return ""
