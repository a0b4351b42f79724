"""The connection test: two turns as a run plays them, and the result in plain words."""

import time
from dataclasses import dataclass, field, replace
from typing import Any

from agents.llm import ProviderFatal, ProviderRetry, Reply, Request, ToolCall, ToolResult, Turn
from agents.providers.client import Client
from agents.providers.learned import Learned
from environments.base import Tool
from infrastructure.transactions import let_go_of_connection
from runs.engine.journal import keep_learned
from runs.engine.players import connected_llm
from runs.models import Agent

NUMBERS = Tool("get_numbers", "Returns the two numbers.", {"type": "object", "properties": {}})
TOOL = Tool(
    "report_sum",
    "Report the sum of two numbers.",
    {"type": "object", "properties": {"sum": {"type": "integer", "description": "The sum."}}, "required": ["sum"]},
)
QUESTION = Request(
    system="You test a connection. Answer with the tools.",
    prompt="Get the two numbers, then report their sum.",
    tools=(NUMBERS, TOOL),
)
ANSWER = "17 and 25"
ONLY = "Only a call of report_sum counts now."
SUM = 42

TEST_SECONDS = 40.0
"""Time limit of one query. The second is sent only if the first took at most half of it: about a minute in all."""

MOST_SHOWN = 500
"""Most characters of the model's text and of a call that the result contains."""

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
STOPPED = {
    "max_tokens": (
        "The model's answer was cut off before it called the tool.",
        "The reply was cut off at the output limit. Raise the agent's most output tokens, then test again.",
    ),
    "refusal": (
        "The model refused to answer.",
        "The model refused to answer. Another model may play; this one will hardly.",
    ),
}
"""What is wrong with a reply without a call, and advice on it, by why the reply ended."""

UNSIGNED = "The provider does not read the thinking of earlier replies, so it is left out."


@dataclass(frozen=True)
class ConnectionTest:
    """The result in plain words, with advice.

    details: the text of the last reply, and the number of calls and tokens of the whole test
    """

    ok: bool
    sentence: str
    details: dict[str, Any] = field(default_factory=dict)
    advice: str = ""


def agent_test_connection(*, agent: Agent, timeout_seconds: float = TEST_SECONDS) -> ConnectionTest:
    """Send two queries as a run does, the second as the last query of a chat, and describe the result.

    What was learned about the provider is stored with the agent.
    """
    started = time.monotonic()
    details: dict[str, Any] = {}
    try:
        llm = connected_llm(agent, timeout_seconds=timeout_seconds)
        llm.learned = Learned()
        let_go_of_connection()
        first = llm.query(QUESTION)
        details = _details(first, details, time.monotonic() - started)
        problem = "" if first.calls and not _first_problem(first) else _problem(first)[0]
        if time.monotonic() - started > timeout_seconds / 2:
            return _result(agent, llm, (first,), details, problem)
        second = llm.query(question_after(first))
        details = _details(second, details, time.monotonic() - started)
        return _result(agent, llm, (first, second), details, problem)
    except ProviderRetry as error:
        return ConnectionTest(False, error.reason, details, BUSY if error.limited else UNREACHABLE)
    except ProviderFatal as error:
        return ConnectionTest(False, error.reason, details, ADVICE.get(error.kind, ""))


def question_after(reply: Reply) -> Request:
    """The last query of the chat, in which the model may only report the sum."""
    results = tuple(map(_result_of, reply.calls))
    return replace(
        QUESTION,
        turns=(Turn(reply, results, "Now report the sum by calling the tool report_sum."),),
        only=TOOL.name,
        only_prompt=ONLY,
    )


def learned_keep(agent: Agent, llm: Client) -> None:
    """Store with the agent what the client learned about its provider."""
    llm.read_card()
    keep_learned(agent, llm)


def _result(
    agent: Agent, llm: Client, replies: tuple[Reply, ...], details: dict[str, Any], first_problem: str
) -> ConnectionTest:
    learned_keep(agent, llm)
    last = replies[-1]
    call = next((call for call in last.calls if not _call_problem(call)), None)
    only_first = len(replies) == 1
    if call is None and not (only_first and last.calls and not first_problem):
        return ConnectionTest(False, _problem(last)[0], details, _problem(last)[1])
    works, tools = ("It works when asked twice", "the tool") if first_problem else ("It works", "the tools")
    sentence = f"{works}: {details['model'] or agent.model} called {tools} in {details['seconds']:.1f} s."
    is_wrong = call is not None and str((call.arguments or {})["sum"]).strip() not in (f"{SUM}", f"{SUM}.0")
    advice = [
        "It took so long that the second turn was not tried." if only_first else "",
        f"{first_problem} Runs ask again in the same way, which takes more calls." if first_problem else "",
        *llm.learned.sentences,
        _unknown_usage(agent) if any(reply.usage.estimated for reply in replies) else "",
        UNSIGNED if any(reply.sent.without_thinking for reply in replies) else "",
        f"The connection is fine, though the sum it reported is wrong: it is {SUM}." if is_wrong else "",
    ]
    return ConnectionTest(True, sentence, details, " ".join(filter(None, advice)))


def _unknown_usage(agent: Agent) -> str:
    end = ", which is marked estimated." if agent.is_priced else " of its tokens."
    return f"The provider does not say how many tokens it bills, so each call is booked at an upper bound{end}"


def _details(reply: Reply, before: dict[str, Any], seconds: float) -> dict[str, Any]:
    return {
        "model": reply.model,
        "seconds": seconds,
        "stop": reply.stop,
        "text": reply.text[:MOST_SHOWN] or before.get("text", ""),
        "thinking": reply.thinking[:MOST_SHOWN] or before.get("thinking", ""),
        "thinking_tokens": reply.usage.reasoning_tokens + before.get("thinking_tokens", 0),
        "input_tokens": reply.usage.input_tokens + before.get("input_tokens", 0),
        "output_tokens": reply.usage.output_tokens + before.get("output_tokens", 0),
        "calls": [
            *before.get("calls", ()),
            *({"name": call.name, "arguments": call.arguments, "raw": call.raw[:MOST_SHOWN]} for call in reply.calls),
        ],
    }


def _problem(reply: Reply) -> tuple[str, str]:
    """What is wrong with a reply without a valid call, and advice on it."""
    if reply.calls:
        return _call_problem(reply.calls[0]), NO_TOOLS
    if reply.fault:
        return f"The provider could not read the model's call: {reply.fault}", NO_TOOLS
    if reply.stop in STOPPED:
        return STOPPED[reply.stop]
    with_text = "The model answered, but with text instead of a tool call."
    return with_text if reply.text.strip() else "The model's answer was empty: neither text nor a tool call.", NO_TOOLS


def _first_problem(reply: Reply) -> str:
    """What is wrong with the calls of the first turn, in which the model may call either tool. Empty if nothing is."""
    return "" if any(call.name == NUMBERS.name or not _call_problem(call) for call in reply.calls) else NO_TOOLS


def _call_problem(call: ToolCall) -> str:
    """What is wrong with a call, in one sentence. Empty if it is valid."""
    if call.name != TOOL.name:
        return "The model called a tool that it was not offered."
    if call.arguments is None:
        return "The model called the tool with arguments that are not a JSON object."
    return "" if "sum" in call.arguments else "The model called the tool without its argument sum."


def _result_of(call: ToolCall) -> ToolResult:
    """The result of a call. As in a run, the model is told what is wrong with it."""
    problem = "" if call.name == NUMBERS.name else _call_problem(call)
    text = problem or (ANSWER if call.name == NUMBERS.name else "Noted. Report it once more.")
    return ToolResult(call.id, call.name, text, is_error=bool(problem))
