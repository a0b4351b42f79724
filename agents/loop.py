"""The period loop: one period of one agent is a new chat that ends with the first valid action (paper, section 3.2).

`PeriodChat` is a state machine without I/O: ask it for the next request, then pass it the reply. Replies may come from a
provider or from the journal of an earlier attempt; the chat is the same.
"""

from dataclasses import dataclass
from typing import Any

from agents.llm import Reply, Request, ToolCall, ToolResult, Turn
from agents.notes import Notes
from agents.tools import answer, tool_named
from environments.base import SINGLE_SEAT, Environment, ToolError

MAX_QUERIES = 40
"""Model queries in one chat; the last one offers only the action tool."""

MAX_ATTEMPTS = 3
"""Chats of a period before the run stalls."""

ALREADY_GIVEN = "This data was already given above in this period. Use it to write notes or to take your action."


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
        self.action: dict[str, Any] | None = None
        self.attempt = 0
        self._last_error = ""
        self.turns: list[Turn] = []
        self._given: set[str] = set()

    @property
    def finished(self) -> bool:
        return self.action is not None

    @property
    def step(self) -> Step:
        return Step(self.attempt, len(self.turns))

    def request(self) -> Request:
        """The next query. Raises Stalled when all chats of the period are used up."""
        if self.attempt >= MAX_ATTEMPTS:
            last = f"; the last error was: {self._last_error}" if self._last_error else "."
            chats = f"{MAX_ATTEMPTS} chats of {MAX_QUERIES} queries"
            raise Stalled(f"No valid action in period {self.environment.period} after {chats}{last}")
        only_action = len(self.turns) == MAX_QUERIES - 1
        return Request(
            system=self.environment.system_prompt(self.seat),
            prompt=self.environment.initial_prompt(self.seat),
            tools=self.tools[-1:] if only_action else self.tools,
            turns=tuple(self.turns),
        )

    def receive(self, reply: Reply) -> tuple[ToolResult, ...]:
        """Answer the calls of a reply in order. The first valid action ends the period; later calls are ignored."""
        results = tuple(self._answer(call) for call in reply.calls)
        self.turns.append(Turn(reply, results, self.environment.reply_prompt(self.seat)))
        if not self.finished and len(self.turns) == MAX_QUERIES:
            self.attempt += 1
            self.turns, self._given = [], set()
        return results

    def _answer(self, call: ToolCall) -> ToolResult:
        if self.finished:
            text = "Ignored: the period had already ended with your action."
            return ToolResult(call.id, call.name, text, ignored=True)
        try:
            return ToolResult(call.id, call.name, self._use(call))
        except ToolError as error:
            self._last_error = str(error)
            return ToolResult(call.id, call.name, str(error), is_error=True)

    def _use(self, call: ToolCall) -> str:
        tool = tool_named(self.environment, call.name, self.seat)
        if call.arguments is None:
            raise ToolError(f"The arguments of {tool.name} were not a JSON object: {call.raw[:200]!r}.")
        if tool.name == self.environment.action_tool:
            argument = self.environment.action_argument
            if argument not in call.arguments:
                raise ToolError(f"{tool.name} needs one argument called {argument}.")
            self.action = self.environment.parse_action(call.arguments[argument], self.seat)
            return "Accepted."
        if tool.once and tool.name in self._given:
            return ALREADY_GIVEN
        if tool.once:
            self._given.add(tool.name)
        return answer(self.environment, self.notes, self.seat, tool, call.arguments)
