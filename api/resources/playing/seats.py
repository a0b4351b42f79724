from typing import Annotated, Any

from django.http import HttpResponse
from ninja import Path
from pydantic import Field

from api.auth import SEAT, SeatRequest
from api.protocol.operations import answers, resource
from api.schemas.base import Out, Verbatim
from api.schemas.episodes import STATES, Deadlines
from api.schemas.runs import ToolOut
from environments.survey import Question
from infrastructure.schemas import In, Plain
from runs.episodes.models import Episode, Seat
from runs.episodes.selectors import PeriodView, Status, seat_period, seat_refreshed, seat_status
from runs.episodes.services.playing import CallAnswer, Receipt, seat_act, seat_call, seat_resign
from runs.models import Run


class SeatOut(
    Out,
    rows=(Status, Seat, Episode, Run),
    fields=(
        "id run environment title difficulty variant seat seats state period periods calls_left bytes_left "
        "deadlines player_class protocol rules chain"
    ),
    sources={"seat": "name"},
    details={
        "state": Field(
            json_schema_extra={"enum": list(STATES)},
            description="`waiting` means that the other seat has not acted yet.",
        ),
        "bytes_left": (
            "Remaining size of arguments of calls in this period, notes included. At 0, calls that only read "
            "still work."
        ),
        "chain": "Hash of the newest entry of the seat's journal.",
    },
):
    """What a seat may know about its episode. There is no score, since it would reveal how close an action was."""

    run: int
    deadlines: Deadlines
    player_class: str

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
            deadlines=Deadlines.from_row(episode),
            player_class=run.agent.player_class,
        )


class QuestionOut(Out, rows=(Question,), fields="key prompt"): ...


class ActionTool(
    Out, rows=(PeriodView,), fields="tool argument", sources={"tool": "action_tool", "argument": "action_argument"}
): ...


class SeatPeriodOut(
    Out,
    rows=(PeriodView, Status),
    fields="period periods system prompt reply_prompt tools questions action calls_left bytes_left",
    details={"bytes_left": "Remaining size of arguments of calls in this period, as in the episode."},
):
    tools: list[ToolOut]
    questions: list[QuestionOut]
    """The questions of a survey, whose action is an answer A or B for each key."""
    action: ActionTool
    deadlines: Deadlines


class CallIn(In):
    tool: Annotated[Plain, Field(max_length=100, examples=["get_attempt_number"])]
    arguments: dict[str, Any] = {}


class CallAnswerOut(
    Out,
    rows=(CallAnswer,),
    fields="text data is_error calls_left",
    details={"data": "The printed history as JSON; null for other tools."},
):
    text: Verbatim


class ActionIn(In):
    action: Annotated[Any, Field(examples=[{"Product_1": 20.0}])]
    """The argument of the action tool: an object, or the JSON text that a model wrote."""


class ReceiptOut(
    Out,
    rows=(Receipt, Status),
    fields="period next_period state done chain",
    details={
        "next_period": "The next period; null after the last period.",
        "state": Field(json_schema_extra={"enum": list(STATES)}),
    },
): ...


router = resource("Seats of episodes")
Index = Annotated[int, Path(description="Counted from 0.", examples=[0])]
PERIOD = "/episode/periods/{int:index}"


@router.get("/episode", auth=SEAT, response=answers(SeatOut, has_404=False), summary="Get the state of the episode")
def get_seat(request: SeatRequest) -> Any:
    return SeatOut.values(seat_status(request.auth))


@router.get(PERIOD, auth=SEAT, response=answers(SeatPeriodOut, has_409=True), summary="Begin a period")
def get_seat_period(request: SeatRequest, index: Index) -> Any:
    """Return the prompts and tools of the current period, as a model of this site gets them. Some episodes answer 409
    `preparing` in their first seconds: ask again after Retry-After."""
    seat = request.auth
    view = seat_period(seat, index)
    return SeatPeriodOut.from_row(
        view,
        seat_status(seat),
        tools=[ToolOut.from_row(tool) for tool in view.tools],
        questions=[QuestionOut.from_row(question) for question in view.questions],
        action=ActionTool.from_row(view),
        deadlines=Deadlines.from_row(seat.episode),
    )


@router.post(
    f"{PERIOD}/calls", auth=SEAT, response=answers(CallAnswerOut, has_409=True, body=True), summary="Call a tool"
)
def call_tool(request: SeatRequest, index: Index, body: CallIn) -> Any:
    """Call any tool but the action. A wrong call is answered with `is_error`. Repeating a call in the same period gets the
    full answer again and does not count."""
    return CallAnswerOut.from_row(seat_call(seat=request.auth, period=index, tool=body.tool, arguments=body.arguments))


@router.put(
    f"{PERIOD}/action", auth=SEAT, response=answers(ReceiptOut, has_409=True, body=True), summary="Take the action"
)
def take_action(request: SeatRequest, response: HttpResponse, index: Index, body: ActionIn) -> Any:
    """Ends the period for this seat. Repeating the action gets the same receipt with `Idempotency-Replayed: true`; another
    action is answered 409 `already_played`. 422 `invalid_action` leaves the period open."""
    receipt = seat_act(seat=request.auth, period=index, action=body.action)
    if receipt.replayed:
        response["Idempotency-Replayed"] = "true"
    return ReceiptOut.from_row(receipt, state=seat_status(request.auth).state)


@router.post("/episode/resign", auth=SEAT, response=answers(SeatOut, has_404=False), summary="Resign")
def resign(request: SeatRequest) -> Any:
    """The episode ends without a score; in a season its score is 0. Resigning again changes nothing."""
    seat_resign(seat=request.auth)
    return SeatOut.values(seat_status(seat_refreshed(request.auth)))
