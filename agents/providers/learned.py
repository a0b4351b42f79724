"""What an agent has learned from refusals about the requests that its provider accepts. All runs of the agent share it."""

from dataclasses import dataclass, fields, replace
from typing import Any, Self

PARTS = {
    "temperature": "the temperature",
    "tool_choice": "a forced call of a tool",
    "named_tool": "a forced call of one tool",
    "reasoning_effort": "the effort by the name reasoning_effort",
    "max_tokens": "the output limit by the name max_tokens",
    "max_completion_tokens": "the output limit by the name max_completion_tokens",
    "include": "the request for encrypted reasoning",
    "summary": "the request for a summary of its reasoning",
    "display": "the request for a summary of its thinking",
    "strict": "how strictly arguments follow their schema",
    "prompt_cache_key": "the key of its cache",
    "cache_control": "marks for its cache",
    "kept": "earlier thinking",
    "version": "the newest version of the interface",
}
"""Optional parts of a request, in words that complete the sentence "The provider refuses ..."."""


@dataclass(frozen=True)
class Learned:
    """Knowledge about a provider. The default values are the first guess.

    wire: the wire format that the provider demanded, empty if none
    refused: the names in PARTS that requests leave out
    most_output: the largest output limit that the provider accepts, None if it gave none
    room: the output limit for the current long chat, which nearly fills the context window; reset after the next reply
    thinking: the type of thinking that the model accepts, empty for the first guess
    forms: arrangements of the chat for servers with another template, names of FORMS
    efforts, most_input, retires_on: from the maker's model card, with the day as YYYY-MM-DD; empty or None if unknown
    """

    wire: str = ""
    refused: tuple[str, ...] = ()
    most_output: int | None = None
    room: int | None = None
    thinking: str = ""
    forms: tuple[str, ...] = ()
    efforts: tuple[str, ...] = ()
    most_input: int | None = None
    retires_on: str = ""

    def takes(self, part: str) -> bool:
        return part not in self.refused

    def without(self, part: str) -> Self:
        return replace(self, refused=(*self.refused, part))

    def as_json(self) -> dict[str, Any]:
        """The fields that are not empty, as JSON."""
        return {name: value for name, value in vars(self).items() if value not in ("", (), None)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read from JSON. Unknown names are ignored, because a later version may have written them."""
        values: dict[str, Any] = {field.name: data[field.name] for field in fields(cls) if field.name in data}
        values |= {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
        return cls(**values)

    @property
    def sentences(self) -> list[str]:
        """Sentences about the knowledge, for the agent's page."""
        refused = [f"The provider refuses {PARTS[part]}." for part in self.refused if part in PARTS]
        names = {"wire": WIRE_NAMES.get(self.wire, ""), "efforts": ", ".join(self.efforts)}
        values = {name: value for name, value in (self.as_json() | names).items() if value != ""}
        return [
            *refused,
            *(sentence.format(values[name]) for name, sentence in SENTENCES.items() if name in values),
            *(FORMS[form] for form in self.forms if form in FORMS),
        ]


SENTENCES = {
    "wire": "The provider asks for the {} interface.",
    "most_output": "A reply has at most {:,} tokens.",
    "most_input": "The model reads at most {:,} tokens.",
    "efforts": "The model takes the efforts {}.",
    "retires_on": "Its maker retires the model on {}.",
    "thinking": "Thinking is asked for as '{}'.",
}
"""Sentences about the fields of Learned, for the agent's page."""

WIRE_NAMES = {"chat": "Chat Completions", "messages": "Messages", "responses": "Responses"}
PROMPT_IN_RESULT, SYSTEM_IN_PROMPT = "prompt_in_result", "system_in_prompt"
FORMS = {
    PROMPT_IN_RESULT: "The server takes no user message after a tool result, so the prompt is in the result.",
    SYSTEM_IN_PROMPT: "The server takes no system message, so its text is before the first prompt.",
}
