"""Reasons to refuse a request of a seat or of its owner, and limits on the bytes of a seat's calls.

A stranger needs only a token to play, so the size of notes is limited. The site stores each note several times: in the
journal, with the run, in the transcript and for the search.
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.utils import timezone

from environments.base import ToolError
from runs.episodes.models import Ending, Episode, Seat

PERIOD_BYTES = 256 * 1024
"""Most bytes of the calls in one period. This also limits the longest answer of read_notes."""

GAME_BYTES = 2 * 1024 * 1024
"""Most bytes of the calls in the whole game: 100 periods with 20,000 characters of notes each."""

SMALL = 100
"""Calls up to this size in bytes are always answered, because they only read."""

BUDGET = (
    f"Notes and other calls have at most {PERIOD_BYTES:,} bytes in a period and {GAME_BYTES:,} in the whole game; reading "
    "and the action are always possible."
)


def size_of(arguments: dict[str, Any]) -> int:
    """The size of the arguments as JSON, in bytes of UTF-8."""
    return len(json.dumps(arguments, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass"))


def bytes_left(seat: Seat) -> int:
    """Bytes left for calls in the current period."""
    return max(0, min(PERIOD_BYTES - seat.period_size, GAME_BYTES - seat.size))


def budget_check(seat: Seat, size: int) -> None:
    """Raise ToolError if a call of `size` bytes does not fit the limits."""
    if size > max(SMALL, bytes_left(seat)):
        raise ToolError(f"This call has {size:,} bytes, and {bytes_left(seat):,} are left. {BUDGET}")


SENTENCES = {
    Ending.FINISHED: "The episode is finished.",
    Ending.RESIGNED: "The episode ended: its player resigned.",
    Ending.EXPIRED: "The episode ended: its time ran out.",
    Ending.WITHDRAWN: "The episode ended: its owner withdrew it.",
}


class Code(StrEnum):
    """Codes of refusals, for programs. They never change."""

    ALREADY_PLAYED = "already_played"
    NOT_YET = "not_yet"
    ENDED = "ended"
    PREPARING = "preparing"
    INVALID_ACTION = "invalid_action"
    CLOSED = "closed"


@dataclass(eq=False)
class SeatRefused(Exception):
    """A refused request, which changes nothing. `sentence` is for people, `code` for programs."""

    code: Code
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def ending_of(episode: Episode) -> Ending:
    """How the episode ended, NONE while it is in play.

    An episode expires when its time is over, even if the sweep has not ended it yet. Its time starts when its instance is
    prepared.
    """
    if not episode.in_play:
        return Ending(episode.ending) if episode.ending else Ending.WITHDRAWN
    is_overdue = episode.prepared_at is not None and episode.period_due_at <= timezone.now()
    return Ending.EXPIRED if is_overdue else Ending.NONE


def refuse_period(seat: Seat, period: int) -> None:
    """Raise SeatRefused if the episode is not in play, or if the seat does not act in this period next."""
    episode, ending = seat.episode, ending_of(seat.episode)
    current = f"the current one is {seat.period}."
    refusals = [
        (ending != Ending.NONE, Code.ENDED, SENTENCES.get(ending, "")),
        (
            episode.prepared_at is None,
            Code.PREPARING,
            "The optimum of the instance is being computed. Ask again in a few seconds.",
        ),
        (period < seat.period, Code.ALREADY_PLAYED, f"Period {period} is played; {current}"),
        (period > seat.period, Code.NOT_YET, f"Period {period} has not begun; {current}"),
        (
            period > episode.periods_played,
            Code.NOT_YET,
            f"Period {period} has not begun: the other seat has not acted yet.",
        ),
    ]
    for is_refused, code, sentence in refusals:
        if is_refused:
            raise SeatRefused(code, sentence)
