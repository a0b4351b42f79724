from typing import Annotated, Any

from pydantic import Field

from api.schemas.base import Out, Verbatim
from api.schemas.episodes import STATES, Deadlines, deadlines_of
from api.schemas.runs import ToolOut
from infrastructure.schemas import In, Plain
from runs.episodes.selectors import Status


class SeatOut(Out):
    """What a seat knows of its episode. There is no score: it would tell how close an action was."""

    id: int
    run: int
    environment: str
    title: str
    difficulty: str
    variant: str
    seat: str
    seats: list[str]
    state: Annotated[str, Field(json_schema_extra={"enum": list(STATES)})]
    """`waiting` while the other seat has not acted."""
    period: int
    periods: int
    calls_left: int
    bytes_left: int
    """For the arguments of calls in this period, notes included. At 0 there is still room for calls that only read."""
    deadlines: Deadlines
    player_class: str
    protocol: int
    rules: str
    chain: str
    """Hash of the newest entry of the seat's journal."""

    @classmethod
    def values(cls, status: Status) -> dict[str, Any]:
        seat, episode, run = status.seat, status.seat.episode, status.run
        return cls.from_row(
            status,
            seat,
            episode,
            run,
            id=episode.pk,
            run=run.pk,
            period=seat.period,
            seat=seat.name,
            deadlines=deadlines_of(episode),
            player_class=run.agent.player_class,
        )


class QuestionOut(Out):
    key: str
    prompt: str


class ActionTool(Out):
    tool: str
    argument: str


class SeatPeriodOut(Out):
    period: int
    periods: int
    system: str
    prompt: str
    reply_prompt: str
    tools: list[ToolOut]
    questions: list[QuestionOut]
    """Of surveys, whose action is an answer A or B by key."""
    action: ActionTool
    calls_left: int
    bytes_left: int
    """As of the episode."""
    deadlines: Deadlines


class CallIn(In):
    tool: Annotated[Plain, Field(max_length=100, examples=["get_attempt_number"])]
    arguments: dict[str, Any] = {}


class CallAnswerOut(Out):
    text: Verbatim
    data: dict[str, Any] | None
    """What the history prints, as JSON; null for other tools."""
    is_error: bool
    calls_left: int


class ActionIn(In):
    action: Annotated[Any, Field(examples=[{"Product_1": 20.0}])]
    """The argument of the action tool: an object, or its text as a model writes it."""


class ReceiptOut(Out):
    period: int
    next_period: int | None
    """Null after the last period."""
    state: Annotated[str, Field(json_schema_extra={"enum": list(STATES)})]
    done: bool
    chain: str
