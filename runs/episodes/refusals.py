"""Why a request of a seat or of its owner is refused, for the API, MCP and the pages alike."""

from dataclasses import dataclass
from enum import StrEnum

from django.utils import timezone

from runs.episodes.models import Ending, Episode, Seat

SENTENCES = {
    Ending.FINISHED: "The episode is finished.",
    Ending.RESIGNED: "The episode ended: its player resigned.",
    Ending.EXPIRED: "The episode ended: its time ran out.",
    Ending.WITHDRAWN: "The episode ended: its owner withdrew it.",
}


class Code(StrEnum):
    """Words for programs; they stay the same."""

    ALREADY_PLAYED = "already_played"
    NOT_YET = "not_yet"
    ENDED = "ended"
    PREPARING = "preparing"
    INVALID_ACTION = "invalid_action"
    CLOSED = "closed"


@dataclass(eq=False)
class SeatRefused(Exception):
    """The request changes nothing. `sentence` is for the reader; a program looks at `code`."""

    code: Code
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def ending_of(episode: Episode) -> Ending:
    """How the episode ended, NONE while it is in play; also if its time ran out since the last look of the sweep.

    Time runs once the instance is prepared.
    """
    if not episode.in_play:
        return Ending(episode.ending) if episode.ending else Ending.WITHDRAWN
    is_overdue = episode.prepared_at is not None and episode.period_due_at <= timezone.now()
    return Ending.EXPIRED if is_overdue else Ending.NONE


def refuse_period(seat: Seat, period: int) -> None:
    """Raises SeatRefused if the episode is not in play or this is not the period in which the seat acts next."""
    episode = seat.episode
    if ending := ending_of(episode):
        raise SeatRefused(Code.ENDED, SENTENCES[ending])
    if episode.prepared_at is None:
        raise SeatRefused(Code.PREPARING, "The optimum of the instance is being computed. Ask again in a few seconds.")
    if period < seat.period:
        raise SeatRefused(Code.ALREADY_PLAYED, f"Period {period} is played; the current one is {seat.period}.")
    if period > seat.period:
        raise SeatRefused(Code.NOT_YET, f"Period {period} has not begun; the current one is {seat.period}.")
    if period > episode.periods_played:
        raise SeatRefused(Code.NOT_YET, f"Period {period} has not begun: the other seat has not acted yet.")
