"""Times in a log.

The published code logs when it sent each query and when it received the response, including
waits for rate limits. Times are in whole seconds of an unknown local time zone. Older versions log
neither, but OpenAI's responses contain their time in seconds since 1970. Durations are therefore
accurate to a second. Times are stored as logged, as if the zone were UTC.
"""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime

from games.logs.cells import Cells

SENT, ANSWERED = "request_timestamp", "response_timestamp"
YEARS = range(2015, 2100)


CallTime = tuple[datetime | None, float | None]
"""(time of sending a query, seconds to its response); None if not logged."""


@dataclass
class Times:
    """The times of a log by period. `take` adds the times of a row."""

    first: dict[int, datetime] = field(default_factory=dict)
    last: dict[int, datetime] = field(default_factory=dict)
    is_made: bool = False
    """Whether some times are those at which a response was created, not those of its receipt."""

    def take(self, period: int, cells: Cells, created: int | None) -> CallTime:
        sent, answered = (moment(cells.values.get(column, "")) for column in (SENT, ANSWERED))
        seconds = between(sent, answered)
        if sent is None and answered is None and created is not None:
            sent = answered = datetime.fromtimestamp(created, UTC)
            self.is_made = True
        if begun := sent or answered:
            self.first.setdefault(period, begun)
            self.last[period] = answered or begun
        return sent, seconds

    @property
    def started_at(self) -> datetime | None:
        return self.first[min(self.first)] if self.first else None

    @property
    def ended_at(self) -> datetime | None:
        ended = self.last[max(self.last)] if self.last else None
        return ended if between(self.started_at, ended) is not None else None

    def seconds(self, period: int) -> float | None:
        """The duration of a period, up to its last response.

        With OpenAI's times only, up to the next period's first response.
        """
        return between(self.first.get(period), self.first.get(period + 1) if self.is_made else self.last.get(period))


def between(begun: datetime | None, ended: datetime | None) -> float | None:
    """The seconds between two times; None if a time is missing or the clock was set back."""
    if begun is None or ended is None or ended < begun:
        return None
    return (ended - begun).total_seconds()


def moment(text: str) -> datetime | None:
    """A logged time; None if it cannot be read."""
    text = text.strip()
    try:
        logged_time = datetime.fromisoformat(text) if len(text) <= 40 else None
        if logged_time is None or logged_time.year not in YEARS:
            return None
        return logged_time.replace(tzinfo=UTC) if logged_time.tzinfo is None else logged_time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def time_of(name: str) -> datetime | None:
    """The time in a folder's name, in an unknown local time zone."""
    match = re.match(r"\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d", name)
    try:
        return datetime.strptime(match[0], "%Y-%m-%d-%H-%M-%S") if match else None
    except ValueError:
        return None
