"""Base of the wire formats, which turn a chat with tools into a body, and an answer into a reply. No I/O."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from agents.addresses import is_within
from agents.llm import Reply, Request, Sent, Turn, Usage
from agents.options import LLMOptions
from agents.providers.learned import Learned

TOOL_CHOICE = r"tool[_ ]?choice|forc(?:ed|es|ing) (?:a )?(?:tool|function)"
"""Pattern for the tool choice in refusals."""

TIER = r"service[_ ]tier"
"""Pattern for the service tier in refusals."""

DROPS_THINKING = "openrouter.ai"
"""A host that silently leaves out the thinking of some models if they are forced to call a tool."""

CALL_ONLY = "\n\n"
"""Separator between the last prompt and the sentence that only one tool counts."""


@dataclass(frozen=True)
class Plan:
    """A request and everything that determines how it is sent.

    without_thinking: whether to leave out earlier thinking, because the provider refused to read it
    """

    request: Request
    options: LLMOptions
    learned: Learned = field(default_factory=Learned)
    without_thinking: bool = False

    @property
    def asks_for_thinking(self) -> bool:
        """Whether to request thinking: because of the agent's options, or because the model thinks anyway."""
        effort = self.options.reasoning_effort
        return bool(self.options.reasoning or effort or self.learned.thinking) and effort != "none"

    @property
    def forced(self) -> bool:
        """Whether the model has to call a tool."""
        drops = self.asks_for_thinking and is_within(self.options.base_url, DROPS_THINKING)
        return bool(self.request.tools) and self.learned.takes("tool_choice") and not drops

    @property
    def forced_name(self) -> str:
        """The tool that the model has to call, empty if it may choose."""
        return self.request.only if self.forced and self.learned.takes("named_tool") else ""

    def limit(self, default: int | None = None) -> int | None:
        """The output limit: the agent's limit, but not more than the provider accepts."""
        limits = (self.options.max_tokens or default, self.learned.most_output, self.learned.room)
        return min(filter(None, limits), default=None)

    @property
    def temperature(self) -> float | None:
        """The temperature; None if none is set, if the agent thinks, or if the provider refuses it."""
        is_sent = not self.asks_for_thinking and self.learned.takes("temperature")
        return self.options.temperature if is_sent else None

    def tool_choice(self, named: Any, unnamed: Any) -> Any:
        """The parameter `tool_choice`, None if the model need not call a tool.

        named, unnamed: its values for the only tool that counts, and for any tool
        """
        called = named if self.forced_name else unnamed
        return called if self.forced else None

    def turns(self) -> Iterator[tuple[Turn, str, bool]]:
        """Yield each turn with the prompt after it, and whether the thinking of its reply is sent."""
        turns = self.request.turns
        first_kept = max((index for index, turn in enumerate(turns) if turn.reply.sent.without_thinking), default=0)
        for index, turn in enumerate(turns):
            keeps = index >= first_kept and not self.without_thinking and self.learned.takes("kept")
            says_so = index == len(turns) - 1 and self.request.only and not self.forced_name
            yield turn, turn.prompt + (CALL_ONLY + self.request.only_prompt if says_so else ""), keeps

    def sent(self, wire: str, *, thinking: str = "", limit: int | None = None) -> Sent:
        return Sent(
            wire=wire,
            forced=self.forced or not self.request.tools,
            effort=self.options.reasoning_effort,
            thinking=thinking,
            max_tokens=limit,
            left_out=tuple(sorted(self.learned.refused)),
            without_thinking=self.without_thinking,
            service_tier=self.options.service_tier,
        )


class WireFormat(ABC):
    """One of the makers' interfaces.

    chat: the field of the body that holds the growing chat
    part_patterns: patterns for the names of optional parts in refusals
    """

    name: ClassVar[str]
    path: ClassVar[str]
    chat: ClassVar[str] = "messages"
    part_patterns: ClassVar[dict[str, str]]

    @abstractmethod
    def body(self, plan: Plan) -> tuple[dict[str, Any], Sent]:
        """Return the request in this format, and the record how it is sent."""

    @abstractmethod
    def read(self, data: dict[str, Any], request: Request) -> Reply | None:
        """Read the reply from the body of an answer, without its field `sent`; None if there is no reply."""

    @abstractmethod
    def usage(self, data: dict[str, Any]) -> Usage:
        """Read the token counts from the body of an answer; missing counts are 0."""


def present(**parts: Any) -> dict[str, Any]:
    """The parts of a body that are not None or empty. Most providers refuse empty parts."""
    return {name: part for name, part in parts.items() if part not in (None, "", [], {})}
