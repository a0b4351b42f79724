"""The MCP server of a seat: the tools of its environment, and tools that begin and end a period."""

from collections.abc import Callable
from datetime import datetime
from threading import Lock
from typing import Any, cast

from cachetools import LRUCache, cached
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest
from django_mcpz.server import MCPServer, ToolError
from django_mcpz.server import public as already_authenticated

from agents.tools import WRITE, outside_tools, whole_number
from api.auth import SeatRequest
from environments.base import Environment
from environments.survey import Question, Survey
from runs.episodes import refusals, selectors
from runs.episodes.game import opening_of
from runs.episodes.models import Seat
from runs.episodes.services.playing import seat_act, seat_call

PERIOD = "period"
START, ANSWER = "start_period", "answer_questions"
HISTORY_CHARACTERS = 250_000
"""Clients are asked to show histories of up to this length uncut. The longest history, of
scheduling HARD at period 99, has 178,000 characters."""

START_DESCRIPTION = (
    "Begin here, and begin again whenever you have lost the thread: returns your instructions, the number of the current "
    "period and how many calls of tools are left in it. It does not count as a call and changes nothing."
)
PERIOD_DESCRIPTION = (
    "Number of the current period, as start_period and the answer to the last action give it. A call that is sent again "
    "with the same number does not play another period."
)
DATABASE_AWAY = "The database is away. Try again in a moment."

Arguments = dict[str, Any]


def instructions_of(game: Environment) -> str:
    ends = ANSWER if isinstance(game, Survey) else game.action_tool
    return (
        f"You play “{game.title}” for {game.periods} periods. Call {START} first: it returns your task. In each period use "
        f"the tools as you like, then end it with {ends} and the number of the period. Go on until an answer says that the "
        f"episode is finished. {refusals.BUDGET}"
    )


@cached(LRUCache[tuple[int, datetime], MCPServer](64), lambda seat: (seat.pk, seat.episode.opened_at), Lock())
def seat_server(seat: Seat) -> MCPServer:
    """The MCP server of a seat. Its tools stay the same for the whole episode."""
    game = opening_of(seat.episode)
    server = MCPServer(
        name="econevals",
        title=f"EconEvals: {game.title}",
        version=settings.VERSION,
        instructions=instructions_of(game),
        auth=already_authenticated,
    )
    server.tool(
        name=START,
        description=START_DESCRIPTION,
        input_schema={"type": "object", "properties": {}},
        read_only=True,
    )(_in_band(lambda seat, arguments: _prompt(seat)))
    if isinstance(game, Survey):
        _add_action(server, ANSWER, "Answer all questions of the current period.", _answers_schema(), "answers")
        return server
    for tool in outside_tools(game, seat.name):
        if tool.name == game.action_tool:
            _add_action(server, tool.name, tool.description, tool.input_schema, game.action_argument)
            continue
        server.tool(
            name=tool.name,
            description=tool.description,
            input_schema=tool.input_schema,
            read_only=tool.name != WRITE,
            destructive=False,
            idempotent=True,
        )(_in_band(_caller_of(tool.name)))
    # The package has no parameter for this field of a tool, so it is set directly.
    server._tools[game.history_tool].definition["_meta"] = {"anthropic/maxResultSizeChars": HISTORY_CHARACTERS}
    return server


def _add_action(server: MCPServer, name: str, description: str, schema: dict[str, Any], argument: str) -> None:
    """Add an action as a tool. It needs the number of its period, so that a repeated call cannot play two periods."""
    schema = schema | {
        "properties": {PERIOD: {"type": "integer", "minimum": 0, "description": PERIOD_DESCRIPTION}}
        | schema["properties"],
        "required": [PERIOD, *schema.get("required", [argument])],
    }

    def act(seat: Seat, arguments: Arguments) -> str:
        period = whole_number(arguments.get(PERIOD))
        if period is None or period < 0:
            raise ToolError(f"{name} needs {PERIOD}, the number of the current period as a whole number.")
        receipt = seat_act(seat=seat, period=period, action=arguments.get(argument))
        accepted = f"Period {period} was played with this action before." if receipt.replayed else "Accepted."
        if receipt.done:
            return f"{accepted} The episode is finished."
        try:
            return f"{accepted}\n\n{_prompt(selectors.seat_refreshed(seat), is_first=False)}"
        except refusals.SeatRefused as refused:
            return f"{accepted} {refused.sentence} Call {START} to ask again."

    server.tool(
        name=name, description=description, input_schema=schema, read_only=False, destructive=False, idempotent=True
    )(_in_band(act))


def _answers_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "answers": {
                "type": "object",
                "additionalProperties": {"type": "string", "enum": ["A", "B"]},
                "description": 'A or B for every question by its number, such as {"0": "A", "1": "B"}.',
            }
        },
    }


def _in_band(run: Callable[[Seat, Arguments], str]) -> Callable[[HttpRequest, Arguments], str]:
    """Wrap a tool's function: refusals become errors of the tool, which the model can read."""

    def answer(request: HttpRequest, arguments: Arguments) -> str:
        try:
            return run(cast(SeatRequest, request).auth, arguments)
        except refusals.SeatRefused as refused:
            raise ToolError(refused.sentence) from None
        except (OperationalError, InterfaceError):
            raise ToolError(DATABASE_AWAY) from None

    return answer


def _caller_of(tool: str) -> Callable[[Seat, Arguments], str]:
    def call(seat: Seat, arguments: Arguments) -> str:
        answered = seat_call(seat=seat, period=seat.period, tool=tool, arguments=arguments)
        if answered.is_error:
            raise ToolError(answered.text)
        return answered.text

    return call


def _prompt(seat: Seat, *, is_first: bool = True) -> str:
    """The texts that a player reads at the start of the current period. Later periods leave out the system prompt.

    Raises SeatRefused.
    """
    view, status = selectors.seat_period(seat, seat.period), selectors.seat_status(seat)
    where = f"Period {view.period} of {view.periods}, counted from 0."
    if view.questions:
        return "\n\n".join(
            [where, *_question_texts(view.questions), f"Answer them with {ANSWER} and {PERIOD} {view.period}."]
        )
    left = (
        f"{where} {status.calls_left} calls are left in it. End it with {view.action_tool} and {PERIOD} {view.period}."
    )
    return "\n\n".join([view.system, view.prompt, left] if is_first else [left, view.prompt])


def _question_texts(questions: tuple[Question, ...]) -> list[str]:
    """The questions with their numbers. Equal questions are written once."""
    keys: dict[str, list[str]] = {}
    for question in questions:
        keys.setdefault(question.prompt, []).append(question.key)
    return [f"Question{'s' if len(same) > 1 else ''} {', '.join(same)}:\n{prompt}" for prompt, same in keys.items()]
