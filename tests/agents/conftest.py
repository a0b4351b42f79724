"""The cast of the provider tests: a stub provider that follows a script, and the model reached through it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from agents.llm import LLM, Reply, Request, ToolResult, Turn
from agents.options import LLMOptions
from agents.providers import connect
from environments.base import Tool
from tests.stub_provider import Script, StubAnswer, StubProvider

KEY = "sk-canary-0123456789abcdef"

BUDGET = Tool("get_budget", "Returns the budget.", {"type": "object", "properties": {}})
SUBMIT = Tool(
    "submit_purchase_plan",
    "Submits a plan.",
    {"type": "object", "properties": {"purchase_plan": {"type": "string"}}, "required": ["purchase_plan"]},
)


def request_of(*turns: Turn, system: str = "You buy equipment.", prompt: str = "Start.") -> Request:
    return Request(system, prompt, (BUDGET, SUBMIT), turns)


def turn_of(reply: Reply, *texts: str, prompt: str = "Now use more tools.", is_error: bool = False) -> Turn:
    """A turn in which the calls of `reply` were answered with `texts`."""
    results = tuple(
        ToolResult(call.id, call.name, text, is_error) for call, text in zip(reply.calls, texts, strict=True)
    )
    return Turn(reply, results, prompt)


class Provider:
    """A stub provider and models connected to it, in one wire format."""

    def __init__(self, wire: str, stub: StubProvider):
        self.wire = wire
        self.stub = stub

    def llm(self, *, key: str = KEY, **options: Any) -> LLM:
        provider = "anthropic" if self.wire == "anthropic" else "openai-compatible"
        chosen = {"provider": provider, "model": "any-model", "base_url": self.stub.base_url(self.wire)}
        return connect(LLMOptions(**{**chosen, "timeout_seconds": 10.0, **options}), key)

    def query(self, *turns: Turn, **options: Any) -> Reply:
        return self.llm(**options).query(request_of(*turns))

    @property
    def sent(self) -> dict[str, Any]:
        """The body of the last request."""
        return self.stub.bodies[-1]


Serve = Callable[..., Provider]


def in_order(answers: tuple[StubAnswer, ...]) -> Script:
    """A script that gives the answers one after the other, the last for ever."""
    waiting = list(answers)
    return lambda wire, body, headers: waiting.pop(0) if len(waiting) > 1 else waiting[0]


@pytest.fixture
def stubs() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def _server(wire: str, stack: ExitStack) -> Serve:
    def start(*answers: StubAnswer, script: Script | None = None) -> Provider:
        return Provider(wire, stack.enter_context(StubProvider(script or in_order(answers))))

    return start


@pytest.fixture(params=["anthropic", "openai"])
def serve(request: pytest.FixtureRequest, stubs: ExitStack) -> Serve:
    """Starts a provider with answers in order, or with a script; every test runs for both wire formats."""
    return _server(request.param, stubs)


@pytest.fixture
def serve_anthropic(stubs: ExitStack) -> Serve:
    return _server("anthropic", stubs)


@pytest.fixture
def serve_openai(stubs: ExitStack) -> Serve:
    return _server("openai", stubs)
