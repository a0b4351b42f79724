"""The cast of the provider tests: a stub provider that follows a script, and the model reached through it."""

from contextlib import ExitStack

import pytest

from agents.llm import Request, ToolResult, Turn
from agents.options import LLMOptions
from agents.providers.client import Client
from environments.base import Tool
from tests.stub_provider import StubAnswer, StubProvider

KEY = "sk-canary-0123456789abcdef"

BUDGET = Tool("get_budget", "Returns the budget.", {"type": "object", "properties": {}})
SUBMIT = Tool(
    "submit_purchase_plan",
    "Submits a plan.",
    {"type": "object", "properties": {"purchase_plan": {"type": "string"}}, "required": ["purchase_plan"]},
)


def request_of(*turns, prompt="Start."):
    return Request("You buy equipment.", prompt, (BUDGET, SUBMIT), turns)


def turn_of(reply, *texts, prompt="Now use more tools.", is_error=False):
    """A turn in which the calls of `reply` were answered with `texts`."""
    results = tuple(
        ToolResult(call.id, call.name, text, is_error) for call, text in zip(reply.calls, texts, strict=True)
    )
    return Turn(reply, results, prompt)


class Provider:
    """A stub provider and models connected to it, in one wire format."""

    def __init__(self, wire, stub):
        self.wire = wire
        self.stub = stub

    def llm(self, *, key=KEY, **options):
        provider = "anthropic" if self.wire == "anthropic" else "openai-compatible"
        chosen = {"provider": provider, "model": "any-model", "base_url": self.stub.base_url(self.wire)}
        return Client(LLMOptions(**{**chosen, "timeout_seconds": 10.0, **options}), key)

    def query(self, *turns, **options):
        return self.llm(**options).query(request_of(*turns))

    def failure(self, kind, match=None, **options):
        """The error of a query, of this kind."""
        with pytest.raises(kind, match=match) as caught:
            self.query(**options)
        return caught.value

    @property
    def sent(self):
        """The body of the last request."""
        return self.stub.bodies[-1]


def in_order(answers):
    """A script that gives the answers one after the other, the last for ever; "Hi" without any."""
    waiting = list(answers) or [StubAnswer(text="Hi")]
    return lambda wire, body, headers: waiting.pop(0) if len(waiting) > 1 else waiting[0]


def refusing(*parameters, status=400, error="Unsupported parameter: '{}' is not supported with this model."):
    """A script of a provider that refuses requests with any of these parameters, the first first."""

    def script(wire, body, headers):
        refused = next((name for name in parameters if name in body), None)
        if refused is None:
            return StubAnswer(text="Hi")
        return StubAnswer(status=status, error=error.format(refused) if isinstance(error, str) else error)

    return script


@pytest.fixture
def stubs():
    with ExitStack() as stack:
        yield stack


def _server(wire, stack):
    def start(*answers, script=None):
        return Provider(wire, stack.enter_context(StubProvider(script or in_order(answers))))

    return start


@pytest.fixture(params=["anthropic", "openai"])
def serve(request, stubs):
    """Starts a provider with answers in order, or with a script; every test runs for both wire formats."""
    return _server(request.param, stubs)


@pytest.fixture
def serve_anthropic(stubs):
    return _server("anthropic", stubs)


@pytest.fixture
def serve_openai(stubs):
    return _server("openai", stubs)
