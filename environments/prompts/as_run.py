"""The variant `as_run`: the papers' prompts with the texts that the published experiments sent to their agents.

The texts are those of the released code. Each environment with tools has them in `as_run.json`:

replacements: parts of the printed prompts and tools, and what the experiments sent in their place
keys: by getter, the key of the printed dictionary in which it answered
again: by getter, what it answered when it was asked again in a chat; the others answered in full
tells_wrong_actions: whether the agent was told what is wrong with an action. Every other wrong call ended the chat
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from environments.prompts.sets import PromptSet
from environments.prompts.variants import AS_RUN, texts_slug

CHATS = 10
"""Chats that an agent had for a period."""


class AsRunPrompts(PromptSet):
    """The prompts of an environment as the experiments sent them, and how its tools answered."""

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
