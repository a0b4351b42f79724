"""How many bytes the calls of a seat may have.

The token of a seat is all that a stranger needs, and the site keeps a note several times: in the journal, with the run, in
the transcript and for the search.
"""

import json
from typing import Any

from environments.base import ToolError
from runs.episodes.models import Seat

PERIOD_BYTES = 256 * 1024
"""Of the calls in one period, and so also of the longest answer of read_notes."""

GAME_BYTES = 2 * 1024 * 1024
"""Of the whole game: 100 periods with 20,000 letters of notes in each."""

SMALL = 100
"""A call of so many bytes is answered in any case: it reads."""

BUDGET = (
    f"Notes and other calls have at most {PERIOD_BYTES:,} bytes in a period and {GAME_BYTES:,} in the whole game; reading "
    "and the action are always possible."
)


def size_of(arguments: dict[str, Any]) -> int:
    """Bytes of the arguments as JSON in UTF-8."""
    return len(json.dumps(arguments, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass"))


def bytes_left(seat: Seat) -> int:
    """For calls in the current period."""
    return max(0, min(PERIOD_BYTES - seat.period_size, GAME_BYTES - seat.size))


def budget_check(seat: Seat, size: int) -> None:
    """Raises ToolError for a call that does not fit."""
    if size <= SMALL or size <= bytes_left(seat):
        return
    raise ToolError(f"This call has {size:,} bytes, and {bytes_left(seat):,} are left. {BUDGET}")
