"""When a log says that things happened.

The published code notes when it sent each query and when it had the answer, waiting for rate limits included: to the
second, in the local time of the machine it ran on, without saying which zone that is. Older versions note neither, but an
answer of OpenAI says when it was made, in seconds since 1970. So the time between two moments of a log is known, up to a
second; the moments themselves are kept as they stand in the log, as if its zone were UTC.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime

from transfer.reading.tables import Cells

SENT, ANSWERED = "request_timestamp", "response_timestamp"
YEARS = range(2015, 2100)


@dataclass(frozen=True)
class CallTime:
    """When a query was sent, and how many seconds its answer took; None where the log does not say."""

    sent_at: datetime | None = None
    seconds: float | None = None


@dataclass
class Times:
    """The times of a log, by period. Fill it with `take`, row by row."""

    first: dict[int, datetime] = field(default_factory=dict)
    last: dict[int, datetime] = field(default_factory=dict)
    is_made: bool = False
    """Whether any of them says when an answer was made, and not when it was there."""

    def take(self, period: int, cells: Cells, created: int | None) -> CallTime:
        sent, answered = moment(cells.values.get(SENT, "")), moment(cells.values.get(ANSWERED, ""))
        if sent is None and answered is None and created is not None:
            sent = answered = datetime.fromtimestamp(created, UTC)
            self.is_made = True
            seconds = None
        else:
            seconds = between(sent, answered)
        if begun := sent or answered:
            self.first.setdefault(period, begun)
        if ended := answered or sent:
            self.last[period] = ended
        return CallTime(sent, seconds)

    @property
    def started_at(self) -> datetime | None:
        return self.first[min(self.first)] if self.first else None

    @property
    def ended_at(self) -> datetime | None:
        ended = self.last[max(self.last)] if self.last else None
        return ended if between(self.started_at, ended) is not None else None

    def seconds(self, period: int) -> float | None:
        """How long a period took: to its last answer, or where only the making of answers is known, to the next period's
        first one."""
        ended = self.first.get(period + 1) if self.is_made else self.last.get(period)
        return between(self.first.get(period), ended)


def between(begun: datetime | None, ended: datetime | None) -> float | None:
    """Seconds; None where a moment is missing, or where the clock was set back in between."""
    if begun is None or ended is None or ended < begun:
        return None
    return (ended - begun).total_seconds()


def moment(text: str) -> datetime | None:
    """A time as the log has it; None where there is none that can be read."""
    text = text.strip()
    try:
        found = datetime.fromisoformat(text) if len(text) <= 40 else None
        if found is None or found.year not in YEARS:
            return None
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def time_of(name: str) -> datetime | None:
    """The time a folder of the published code is called after, in the zone of whoever ran it."""
    match = re.match(r"\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d", name)
    try:
        return datetime.strptime(match[0], "%Y-%m-%d-%H-%M-%S") if match else None
    except ValueError:
        return None
