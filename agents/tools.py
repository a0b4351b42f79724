"""Answers to every tool but the action, and the tools as outside agents get them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from agents.notes import READ, WRITE, Notes, joined, whole_number
from environments.base import SINGLE_SEAT, Environment, Tool, ToolError

FROM_PERIOD = "from_period"
"""Optional argument of the history tool of outside agents, whose context may not hold the whole history each period."""

_FROM_PERIOD_SCHEMA = {
    "type": "integer",
    "minimum": 0,
    "description": "Returns only the data from this number on, 0-indexed. Without it, returns all data.",
}


def tool_named(environment: Environment, name: str, seat: str) -> Tool:
    """Raises ToolError for an unknown name."""
    tools = environment.tools(seat)
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None:
        names = ", ".join(tool.name for tool in tools)
        raise ToolError(f"There is no tool called {name[:60]!r}; the tools are {names}.")
    return tool


def answer(environment: Environment, notes: Notes, seat: str, tool: Tool, arguments: dict[str, Any]) -> str:
    """The text of any tool but the action. Raises ToolError."""
    if tool.name == WRITE:
        return notes.write(environment.period, arguments)
    if tool.name == READ:
        return notes_text(environment, notes.read(environment.period, arguments, _argument(tool)))
    return environment.call(tool.name, seat)


def notes_text(environment: Environment, written: Iterable[str]) -> str:
    """The notes of a period as the agent reads them."""
    return environment.prompts.answer(READ, "".join(written) if environment.prompts.as_run else joined(written))


def requested_period(environment: Environment, seat: str, arguments: Mapping[str, Any]) -> int | None:
    """The period whose notes these arguments of read_notes ask for; None if there are none of it."""
    period = whole_number(arguments.get(_argument(tool_named(environment, READ, seat))))
    return period if period is not None and 0 <= period <= environment.period else None


def _argument(tool: Tool) -> str:
    (argument,) = tool.input_schema["properties"]
    return str(argument)


def outside_tools(environment: Environment, seat: str = SINGLE_SEAT) -> tuple[Tool, ...]:
    """The tools of an outside agent. No answer is shortened when repeated, and the history takes `from_period`."""
    tools = []
    for tool in environment.tools(seat):
        schema = tool.input_schema
        if tool.name == environment.history_tool:
            schema = schema | {"properties": schema["properties"] | {FROM_PERIOD: _FROM_PERIOD_SCHEMA}}
        tools.append(replace(tool, input_schema=schema, again=""))
    return tuple(tools)


def first_period(environment: Environment, arguments: Mapping[str, Any]) -> int:
    """The period with which the history of an outside agent begins: `from_period`, or 0. Raises ToolError."""
    since, last = whole_number(arguments.get(FROM_PERIOD, 0)), max(0, environment.period - 1)
    if since is None or not 0 <= since <= last:
        raise ToolError(f"{FROM_PERIOD} must be a whole number from 0 to {last}.")
    return since
