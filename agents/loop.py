"""The period loop: one period of one agent is a new chat that ends with the first valid action (paper, section 3.2).

`PeriodChat` is a state machine without I/O: ask it for the next request, then pass it the reply. Replies may come from a
provider or from the journal of an earlier attempt; the chat is the same.
"""

import re
from dataclasses import dataclass
from typing import Any

from agents.llm import Reply, Request, ToolCall, ToolResult, Turn
from agents.tools import Notes, answer, tool_named
from environments.base import SINGLE_SEAT, Environment, ToolError
from environments.prompts.sets import CHATS

MAX_QUERIES = 40
"""Maximum number of model queries in one chat. In the last one only the action counts."""

MAX_ATTEMPTS = 3
"""Maximum chats of a period before the run stalls. Runs as in the experiments use `environments.prompts.sets.CHATS`."""

MOST_USELESS_REPLIES = 10
"""Number of consecutive useless replies after which a chat ends, because asking again would not help."""

EARLY_END_REASONS = {
    "max_tokens": "every reply was cut off at the output limit{limit}; raise the limit of the agent",
    "empty": "every reply was empty",
    "refusal": "the model refused to answer",
    "as_text": "the model wrote its calls as text; switch on the tool parser of its server",
    "invalid": "the provider could not read the model's calls: {fault}",
}
"""Explanations, by cause, of the early end of a chat."""

CALL_AS_TEXT = re.compile(
    r"<(\w+:)?(tool(_calls?|_use)?|(start_)?function(_calls?)?|invoke)\b[ =>]"
    r"|<[|｜](tool|python_tag|action_start|START_ACTION)|\[TOOL_CALLS\]|```tool_c"
    r"|\bto=functions\.|\bfunctions\.\w+:\d|^Action Input:"
    r'|\{\s*"(name|function|tool|tool_name|tool_calls)"\s*:.{0,200}?"(arguments|parameters|args|input|function)"\s*:'
    r"|\A\s*(```\w*\s*)?\[?(print\()?[\w.]+\([^()]*\)+\]?(\s*```)?\s*\Z",
    re.DOTALL | re.MULTILINE,
)
"""Pattern for calls that models write as text, so that their server misses them: in tags, as JSON, or as a bare call."""

MOST_READ = 20_000
"""Number of characters at the end of a reply that are searched for such a call."""


class Stalled(Exception):
    """The agent took no valid action in any chat of the period. The message is one sentence."""


@dataclass(frozen=True)
class Step:
    """The position of a reply: the number of the chat in the period and of the query in the chat, from 0."""

    attempt: int
    query: int


class PeriodChat:
    """The chat of one seat in one period.

    The first valid action is stored in `action` and ends the chat (`finished`). The chat only reads the environment; the
    caller steps it.
    """

    def __init__(self, environment: Environment, notes: Notes, seat: str = SINGLE_SEAT):
        self.environment = environment
        self.notes = notes
        self.seat = seat
        self.tools = environment.tools(seat)
        # Empty for older runs, whose last query offers only the action tool.
        self._last_prompt = environment.prompts.chat_text("last").replace("{tool}", environment.action_tool)
        self.action: dict[str, Any] | None = None
        self.attempt = 0
        self._last_error = self._early_end = ""
        self._has_called = self._is_broken_off = False
        self.turns: list[Turn] = []
        self._answered_tools: set[str] = set()

    @property
    def finished(self) -> bool:
        return self.action is not None

    @property
    def step(self) -> Step:
        return Step(self.attempt, len(self.turns))

    def request(self) -> Request:
        """The next query. Raises Stalled when all chats of the period are used up."""
        if self.attempt >= max_attempts(self.environment):
            raise Stalled(f"No valid action in period {self.environment.period} after {self._stall_reason()}")
        return Request(
            system=self.environment.system_prompt(self.seat),
            prompt=self.environment.initial_prompt(self.seat),
            tools=self.tools[-1:] if self._is_last and not self._last_prompt else self.tools,
            turns=tuple(self.turns),
            only=self.environment.action_tool if self._is_last and self._last_prompt else "",
            only_prompt=self._last_prompt,
        )

    @property
    def _is_last(self) -> bool:
        return len(self.turns) == MAX_QUERIES - 1

    def _stall_reason(self) -> str:
        if self._early_end:
            return f"{self.attempt} chats: {self._early_end}."
        no_call = "." if self._has_called else "; no reply called a tool."
        last = f"; the last error was: {self._last_error}" if self._last_error else no_call
        return (
            f"{self.attempt} chats of {'up to ' if self.environment.prompts.as_run else ''}{MAX_QUERIES} queries{last}"
        )

    def receive(self, reply: Reply) -> tuple[ToolResult, ...]:
        """Answer the calls of a reply in order. The first valid action ends the period; later calls are ignored."""
        self._has_called = self._has_called or bool(reply.calls)
        results = tuple(self._answer(call) for call in reply.calls)
        self.turns.append(Turn(reply, results, prompt_after(reply, self.environment, self.seat)))
        self._early_end = self._early_end_reason()
        if not self.finished and (len(self.turns) == MAX_QUERIES or self._early_end or self._is_broken_off):
            self.attempt += 1
            self.turns, self._answered_tools, self._is_broken_off = [], set(), False
        return results

    def _early_end_reason(self) -> str:
        """The most frequent cause among the last replies if all of them were useless; otherwise empty."""
        last = [turn.reply for turn in self.turns[-MOST_USELESS_REPLIES:]]
        # The rule does not apply to older runs, which began without it.
        is_counted = self._last_prompt and not self.finished and len(last) == MOST_USELESS_REPLIES
        if (
            not is_counted
            or not _useless_cause(last[-1])
            or not all(causes := [_useless_cause(reply) for reply in last])
        ):
            return ""
        cause = max(EARLY_END_REASONS, key=causes.count)
        reply = next(reply for reply in reversed(last) if _useless_cause(reply) == cause)
        limit = reply.sent.max_tokens or reply.usage.output_tokens
        return EARLY_END_REASONS[cause].replace("{limit}", f" of {limit:,} tokens").replace("{fault}", reply.fault)

    def _answer(self, call: ToolCall) -> ToolResult:
        if self.finished or self._is_broken_off:
            end = "period had already ended with your action" if self.finished else "chat had ended with a wrong call"
            return ToolResult(call.id, call.name, f"Ignored: the {end}.", ignored=True)
        if self._is_last and self._last_prompt and call.name != self.environment.action_tool:
            return ToolResult(call.id, call.name, self._last_prompt, is_error=True)
        try:
            return ToolResult(call.id, call.name, self._use_tool(call))
        except ToolError as error:
            self._last_error = str(error)
            as_run, is_action = self.environment.prompts.as_run, call.name == self.environment.action_tool
            self._is_broken_off = bool(as_run) and not (is_action and as_run["tells_wrong_actions"])
            return ToolResult(call.id, call.name, str(error), is_error=True)

    def _use_tool(self, call: ToolCall) -> str:
        tool = tool_named(self.environment, call.name, self.seat)
        if call.arguments is None:
            raise ToolError(f"The arguments of {tool.name} were not a JSON object: {call.raw[:200]!r}.")
        if tool.name == self.environment.action_tool:
            argument = self.environment.action_argument
            if argument not in call.arguments:
                raise ToolError(f"{tool.name} needs one argument called {argument}.")
            self.action = self.environment.parse_action(call.arguments[argument], self.seat)
            return "Accepted."
        if tool.again and tool.name in self._answered_tools:
            return tool.again
        self._answered_tools.add(tool.name)
        return answer(self.environment, self.notes, self.seat, tool, call.arguments)


def max_attempts(environment: Environment) -> int:
    """The maximum number of chats of a period, after which the run stalls."""
    return CHATS if environment.prompts.as_run else MAX_ATTEMPTS


def prompt_after(reply: Reply, environment: Environment, seat: str) -> str:
    """The user text after the results of a reply: the reply prompt, any fault of the reply, and a request for a call."""
    fault = f"Your last reply could not be used: {reply.fault}" if reply.fault else ""
    reminder = "" if reply.calls or reply.sent.forced else environment.prompts.chat_text("call")
    return "\n\n".join(filter(None, (environment.reply_prompt(seat), fault, reminder)))


def _useless_cause(reply: Reply) -> str:
    """Why a reply is useless and asking again would not help, as a key of EARLY_END_REASONS; empty for other replies."""
    is_cut = reply.stop == "max_tokens" and all(call.arguments is None for call in reply.calls)
    if is_cut or (not reply.calls and reply.stop in ("refusal", "invalid")):
        return reply.stop
    if reply.calls:
        return ""
    if not reply.text.strip():
        return "empty"
    return "as_text" if CALL_AS_TEXT.search(reply.text[-MOST_READ:]) else ""
