"""The notes of an agent, the answers to all tools except the action, and the tools for outside agents."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from environments.base import SINGLE_SEAT, Environment, Tool, ToolError

WRITE, READ = "write_notes", "read_notes"
MAX_CHARACTERS = 256 * 1024


@dataclass
class Notes:
    """The notes of one seat by period, in the order in which they were written."""

    by_period: dict[int, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, written: Iterable[tuple[int, str]]) -> Self:
        notes = cls()
        for period, text in written:
            notes.by_period.setdefault(period, []).append(text)
        return notes

    def write(self, period: int, arguments: dict[str, Any]) -> str:
        text = arguments.get("notes")
        if not isinstance(text, str):
            raise ToolError("write_notes needs one argument called notes, which must be a string.")
        if len(text) > MAX_CHARACTERS:
            raise ToolError(
                f"Notes of {len(text):,} characters are too long; at most {MAX_CHARACTERS:,} fit in one call."
            )
        self.by_period.setdefault(period, []).append(storable(text))
        return "Successfully wrote notes."

    def read(self, current: int, arguments: dict[str, Any], argument: str) -> list[str]:
        """The notes of the period in `arguments`, which may be the current one. `argument`: the tool's parameter name."""
        period = whole_number(arguments.get(argument))
        if period is None:
            raise ToolError(f"read_notes needs one argument called {argument}, which must be a whole number.")
        if not 0 <= period <= current:
            there = "0" if current == 0 else f"0 to {current}"
            raise ToolError(f"There are no notes numbered {period}; you can read those of {there}.")
        return self.by_period.get(period, [])


def joined(written: Iterable[str]) -> str:
    """Join the notes of a period to the text that is shown."""
    return "\n".join(written) or "No notes were written."


def whole_number(value: object) -> int | None:
    """Read a whole number from a model, which may pass it as text or as a float; None for anything else."""
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,18}\s*", value):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def storable(text: str) -> str:
    """Replace NUL and lone surrogates by U+FFFD, because PostgreSQL or UTF-8 do not allow them."""
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


FROM_PERIOD = "from_period"
"""Optional argument of the history tool for outside agents. The whole history in every period may exceed their context."""

_FROM_PERIOD_SCHEMA = {
    "type": "integer",
    "minimum": 0,
    "description": "Returns only the data from this number on, 0-indexed. Without it, returns all data.",
}


def tool_named(environment: Environment, name: str, seat: str) -> Tool:
    """Find a tool by its name. Raises ToolError for an unknown name."""
    tools = {tool.name: tool for tool in environment.tools(seat)}
    if name not in tools:
        raise ToolError(f"There is no tool called {name[:60]!r}; the tools are {', '.join(tools)}.")
    return tools[name]


def answer(environment: Environment, notes: Notes, seat: str, tool: Tool, arguments: dict[str, Any]) -> str:
    """Answer a call of any tool except the action, as text. Raises ToolError."""
    if tool.name == WRITE:
        return notes.write(environment.period, arguments)
    if tool.name == READ:
        return notes_text(environment, notes.read(environment.period, arguments, _argument(tool)))
    return environment.call(tool.name, seat)


def notes_text(environment: Environment, written: Iterable[str]) -> str:
    """The notes of a period as the agent reads them."""
    return environment.prompts.answer(READ, "".join(written) if environment.prompts.as_run else joined(written))


def requested_period(environment: Environment, seat: str, arguments: Mapping[str, Any]) -> int | None:
    """The period requested by these arguments of read_notes; None if there can be no notes of it."""
    period = whole_number(arguments.get(_argument(tool_named(environment, READ, seat))))
    return period if period is not None and 0 <= period <= environment.period else None


def _argument(tool: Tool) -> str:
    (argument,) = tool.input_schema["properties"]
    return str(argument)


def outside_tools(environment: Environment, seat: str = SINGLE_SEAT) -> tuple[Tool, ...]:
    """The tools of an outside agent. Repeated answers are not shortened, and the history takes `from_period`."""
    return tuple(
        replace(
            tool,
            input_schema=_with_from_period(tool) if tool.name == environment.history_tool else tool.input_schema,
            again="",
        )
        for tool in environment.tools(seat)
    )


def _with_from_period(tool: Tool) -> dict[str, Any]:
    return tool.input_schema | {"properties": tool.input_schema["properties"] | {FROM_PERIOD: _FROM_PERIOD_SCHEMA}}


def first_period(environment: Environment, arguments: Mapping[str, Any]) -> int:
    """The first period of the history for an outside agent: `from_period`, or 0. Raises ToolError if it is invalid."""
    since, last = whole_number(arguments.get(FROM_PERIOD, 0)), max(0, environment.period - 1)
    if since is None or not 0 <= since <= last:
        raise ToolError(f"{FROM_PERIOD} must be a whole number from 0 to {last}.")
    return since
