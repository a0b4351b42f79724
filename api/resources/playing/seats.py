from typing import Annotated, Any

from django.http import HttpResponse
from ninja import Path

from api.auth import SEAT, SeatRequest
from api.protocol.operations import answers, resource
from api.schemas.base import ErrorOut
from api.schemas.episodes import deadlines_of
from api.schemas.runs import ToolOut
from api.schemas.seats import ActionIn, CallAnswerOut, CallIn, ReceiptOut, SeatOut, SeatPeriodOut
from runs.episodes.selectors import seat_period, seat_refreshed, seat_status
from runs.episodes.services.playing import seat_act, seat_call, seat_resign

router = resource("Seats of episodes")
Index = Annotated[int, Path(description="Counted from 0.", examples=[0])]
PERIOD = "/episode/periods/{int:index}"


def _answers(model: Any, *, body: bool = False) -> dict[int, Any]:
    return answers(model, body=body) | {409: ErrorOut}


@router.get("/episode", auth=SEAT, response=answers(SeatOut, has_404=False), summary="Where the episode stands")
def get_seat(request: SeatRequest) -> Any:
    return SeatOut.values(seat_status(request.auth))


@router.get(PERIOD, auth=SEAT, response=_answers(SeatPeriodOut), summary="Begin a period")
def get_seat_period(request: SeatRequest, index: Index) -> Any:
    """The prompts and tools of the current period, as a model of this site gets them. 409 `preparing` for the first seconds
    of some episodes: ask again after Retry-After."""
    seat = request.auth
    view = seat_period(seat, index)
    return SeatPeriodOut.from_row(
        view,
        seat_status(seat),
        tools=[ToolOut.from_row(tool) for tool in view.tools],
        questions=[vars(question) for question in view.questions],
        action={"tool": view.action_tool, "argument": view.action_argument},
        deadlines=deadlines_of(seat.episode),
    )


@router.post(f"{PERIOD}/calls", auth=SEAT, response=_answers(CallAnswerOut, body=True), summary="Call a tool")
def call_tool(request: SeatRequest, index: Index, body: CallIn) -> Any:
    """Any tool but the action. A wrong call is answered with `is_error`. The same call again in the same period is answered
    in full and does not count."""
    return CallAnswerOut.from_row(seat_call(seat=request.auth, period=index, tool=body.tool, arguments=body.arguments))


@router.put(f"{PERIOD}/action", auth=SEAT, response=_answers(ReceiptOut, body=True), summary="Take the action")
def take_action(request: SeatRequest, response: HttpResponse, index: Index, body: ActionIn) -> Any:
    """Ends the period for this seat. The same action again gets the same receipt with `Idempotency-Replayed: true`; another
    one is answered 409 `already_played`. 422 `invalid_action` leaves the period open."""
    receipt = seat_act(seat=request.auth, period=index, action=body.action)
    if receipt.replayed:
        response["Idempotency-Replayed"] = "true"
    return ReceiptOut.from_row(receipt, state=seat_status(request.auth).state)


@router.post("/episode/resign", auth=SEAT, response=answers(SeatOut, has_404=False), summary="Resign")
def resign(request: SeatRequest) -> Any:
    """The episode ends without a score, in a season with 0. Resigning again changes nothing."""
    seat_resign(seat=request.auth)
    return SeatOut.values(seat_status(seat_refreshed(request.auth)))
