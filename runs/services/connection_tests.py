"""The test of a connection: one tool call as in a run, and what came back in plain words."""

import time
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.text import get_text_list

from agents.errors import ProviderFatal, ProviderRetry
from agents.llm import Reply, Request, ToolCall, ToolResult, Turn
from environments.base import Tool
from infrastructure.connections import let_go_of_connection
from runs.engine.players import connected_llm
from runs.models import Agent

TOOL = Tool(
    "report_sum",
    "Report the sum of two numbers.",
    {"type": "object", "properties": {"sum": {"type": "integer", "description": "The sum."}}, "required": ["sum"]},
)
QUESTION = Request(
    system="You test a connection. Answer with the tool.", prompt="Report the sum of 17 and 25.", tools=(TOOL,)
)
AGAIN = "Now report the sum by calling the tool report_sum."
SUM = 42
MOST_QUERIES = 2
"""In a run the agent is asked again too if a reply has no valid call, though more often."""

TEST_SECONDS = 40.0
"""For one query. A second one is sent if the first took less than half of it, so a person waits for a minute at most."""

MOST_SHOWN = 500
"""Characters of the model's text and of a call that the result has."""

ADVICE = {
    "key": "Enter the right key at the endpoint, then test again.",
    "credit": "Add credit or raise the limit at the provider, then test again.",
    "forbidden": "Ask the provider to open the model to this key, or choose another model.",
    "model": "Compare the model id and the endpoint's address, its path included, with the provider's documents.",
    "context": "Choose a model that can read longer chats: runs send far more text than this test.",
    "address": "Correct the endpoint's address, then test again.",
    "request": "Compare the endpoint's address and the agent's settings with the provider's documents.",
}
BUSY = "The connection itself works; a run would wait and try again."
UNREACHABLE = "Look whether the server runs and the address is right. A run would try again a few times, then pause."
NO_TOOLS = (
    "Agents play by calling tools, so runs of this model will stall. Look whether its server has tools switched on."
)
TOO_SHORT = "The reply was cut off at the output limit. Raise the agent's most output tokens, then test again."
REFUSAL = "The model refused to answer. Another model may play; this one will hardly."
ASKED_TWICE = "Runs ask again in the same way, which takes more calls."
WRONG_SUM = "The connection is fine, though the sum it reported is wrong: it is 42."


@dataclass(frozen=True)
class ConnectionTest:
    """The result in plain words, with advice. details: of the last reply; the calls are those of all replies"""

    ok: bool
    sentence: str
    details: dict[str, Any] = field(default_factory=dict)
    advice: str = ""


def agent_test_connection(*, agent: Agent, timeout_seconds: float = TEST_SECONDS) -> ConnectionTest:
    """Ask the model for one tool call, a second time if it answers otherwise, and describe the result."""
    started = time.monotonic()
    request, problem = QUESTION, ("", "")
    details: dict[str, Any] = {}
    try:
        llm = connected_llm(agent, timeout_seconds=timeout_seconds)
        let_go_of_connection()
        for number in range(MOST_QUERIES):
            reply = llm.query(request)
            details = _details(reply, details, time.monotonic() - started)
            if call := next((call for call in reply.calls if not _call_problem(call)), None):
                return _success(agent, call, details, llm.refused, problem[0] if number else "")
            problem = _problem(reply)
            request = replace(request, turns=(*request.turns, Turn(reply, _results(reply), AGAIN)))
            if time.monotonic() - started > timeout_seconds / 2:
                break
    except ProviderRetry as error:
        return ConnectionTest(False, error.reason, details, BUSY if error.limited else UNREACHABLE)
    except ProviderFatal as error:
        return ConnectionTest(False, error.reason, details, ADVICE.get(error.kind, ""))
    return ConnectionTest(False, problem[0], details, problem[1])


def _success(
    agent: Agent, call: ToolCall, details: dict[str, Any], refused: list[str], first_problem: str
) -> ConnectionTest:
    answered = details["model"] or agent.model
    sentence = f"It works: {answered} called the tool in {details['seconds']:.1f} s."
    advice = []
    if first_problem:
        sentence = f"It works when asked twice: {answered} called the tool in {details['seconds']:.1f} s."
        advice.append(f"{first_problem} {ASKED_TWICE}")
    if refused:
        names = f"{'parameter' if len(refused) == 1 else 'parameters'} {get_text_list(refused, 'and')}"
        advice.append(f"The endpoint refuses the {names}, so calls leave {'it' if len(refused) == 1 else 'them'} out.")
    assert call.arguments is not None
    if str(call.arguments["sum"]).strip() not in (f"{SUM}", f"{SUM}.0"):
        advice.append(WRONG_SUM)
    return ConnectionTest(True, sentence, details, " ".join(advice))


def _details(reply: Reply, before: dict[str, Any], seconds: float) -> dict[str, Any]:
    calls = [{"name": call.name, "arguments": call.arguments, "raw": call.raw[:MOST_SHOWN]} for call in reply.calls]
    return {
        "model": reply.model,
        "seconds": seconds,
        "stop": reply.stop,
        "text": reply.text[:MOST_SHOWN] or before.get("text", ""),
        "input_tokens": reply.usage.input_tokens + before.get("input_tokens", 0),
        "output_tokens": reply.usage.output_tokens + before.get("output_tokens", 0),
        "calls": [*before.get("calls", ()), *calls],
    }


def _problem(reply: Reply) -> tuple[str, str]:
    """What is wrong with a reply without a valid call, and what to do."""
    if reply.calls:
        return _call_problem(reply.calls[0]), NO_TOOLS
    if reply.stop == "max_tokens":
        return "The model's answer was cut off before it called the tool.", TOO_SHORT
    if reply.stop == "refusal":
        return "The model refused to answer.", REFUSAL
    if not reply.text.strip():
        return "The model's answer was empty: neither text nor a tool call.", NO_TOOLS
    return "The model answered, but with text instead of a tool call.", NO_TOOLS


def _call_problem(call: ToolCall) -> str:
    """One sentence, empty for a valid call."""
    if call.name != TOOL.name:
        return "The model called a tool that it was not offered."
    if call.arguments is None:
        return "The model called the tool with arguments that are not a JSON object."
    if "sum" not in call.arguments:
        return "The model called the tool without its argument sum."
    return ""


def _results(reply: Reply) -> tuple[ToolResult, ...]:
    return tuple(ToolResult(call.id, call.name, _call_problem(call), is_error=True) for call in reply.calls)
