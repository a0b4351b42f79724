"""A scripted LLM."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from agents.llm import Reply, Request, ToolCall, Usage


class ScriptedLLM:
    """Answers with the replies of a script in order, or with the result of a function of the request."""

    def __init__(self, script: Iterable[Reply] | Callable[[Request], Reply]):
        self._function = script if callable(script) else None
        self._replies: Iterator[Reply] = iter(()) if callable(script) else iter(script)
        self.requests: list[Request] = []

    def query(self, request: Request) -> Reply:
        self.requests.append(request)
        return self._function(request) if self._function else next(self._replies)


def calls(*names_and_arguments: tuple[str, dict[str, Any]], text: str = "") -> Reply:
    """A reply that makes these calls."""
    tool_calls = tuple(
        ToolCall(f"call_{i}", name, arguments) for i, (name, arguments) in enumerate(names_and_arguments)
    )
    return Reply(text=text, calls=tool_calls, usage=Usage(input_tokens=100, output_tokens=20), model="scripted")
