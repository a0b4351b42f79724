"""Answers to the tools that only read, and to those of the notes."""

from typing import Any

from agents.notes import READ, WRITE, Notes
from environments.base import Environment, Tool, ToolError

FROM_PERIOD = "from_period"
"""Optional argument of the history tool for outside agents, whose context may not hold the whole history each period."""


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
        (argument,) = tool.input_schema["properties"]
        return notes.read(environment.period, arguments, argument)
    return environment.call(tool.name, seat)
