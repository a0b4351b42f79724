"""The interface of a maker's batches."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from agents.errors import ProviderFatal
from agents.providers.client import Client
from agents.providers.faults import Failure
from agents.providers.formats.wire_format import dicts_in, text_in
from agents.providers.wire import complaint_of

MOST_BYTES = 256 * 2**20
"""Of a file of results."""

MOST_LINES = 10_000
"""Of a batch of ours; the makers take 50,000 and more."""

HOURS = 24
"""The time that the makers take for a batch, at most."""

CLOCKS = timedelta(hours=1)
"""Tolerated difference between the clocks of a maker and of this site."""

PAGE_SIZE = 100
ID = re.compile(r"[\w-]{1,200}")

UNANSWERED = "The batch ended before this line was processed."

Outcome = dict[str, Any] | Failure | str
"""Of a line: the answer, the error in its place, or why it was not processed and is not billed."""


@dataclass(frozen=True)
class Line:
    """A request of a batch. custom_id: 1 to 64 letters, digits, - and _, unique within the batch"""

    custom_id: str
    body: dict[str, Any]


@dataclass(frozen=True)
class Status:
    """answered: lines with an outcome so far, 0 if the maker does not say
    is_complete: whether the maker has an outcome for every line
    error: why the maker refused the whole batch
    """

    ended: bool
    answered: int = 0
    is_complete: bool = False
    error: str = ""


class Undecided(Exception):
    """Whether a batch was submitted is not known before other batches of the key have ended."""


class Batches(ABC):
    """The batches of a maker by the client of an agent. Every method raises ProviderRetry and ProviderFatal."""

    def __init__(self, client: Client):
        self._client = client

    @abstractmethod
    def submit(self, lines: list[Line], path: str, mark: str) -> str:
        """The id of a new batch. path: of the wire format"""

    @abstractmethod
    def submitted(self, mark: str, lines: int, since: datetime, others: Collection[str]) -> str:
        """The id of the batch with this mark, empty if there is none. Raises Undecided.

        lines: of the batch; since: it was not submitted earlier; others: ids of known batches
        """

    @abstractmethod
    def status(self, batch_id: str) -> Status: ...

    @abstractmethod
    def results(self, batch_id: str) -> Iterator[tuple[str, Outcome]]:
        """custom_id and outcome of each line of an ended batch, in any order."""

    @abstractmethod
    def cancel(self, batch_id: str) -> None:
        """Ask to end a batch. Lines that were answered before stay answered and are billed."""

    def _object(self, method: str, path: str, **content: Any) -> dict[str, Any]:
        return self._client.read_object(self._client.call(method, path, **content))

    def _id(self, data: dict[str, Any]) -> str:
        """The id of the batch or file in an answer, which becomes a part of addresses."""
        value = text_in(data.get("id"))
        if not ID.fullmatch(value):
            raise self._client.unreadable("a body that holds no id")
        return value

    def _lines(self, path: str) -> Iterator[dict[str, Any]]:
        text = self._client.call("get", path, most_bytes=MOST_BYTES)
        return (self._client.read_object(line) for line in text.split("\n") if line.strip())

    def _pages(self, path: str, cursor: str, since: datetime) -> Iterator[dict[str, Any]]:
        """The batches of the key from the newest to `since`. cursor: the name of the parameter for the next page"""
        after = ""
        while True:
            page = self._object("get", f"{path}?limit={PAGE_SIZE}{after}")
            batches = [
                batch for batch in dicts_in(page.get("data")) if time_of(batch.get("created_at")) > since - CLOCKS
            ]
            yield from batches
            if not page.get("has_more") or len(batches) < len(dicts_in(page.get("data"))):
                return
            after = f"&{cursor}={self._id(batches[-1])}"


def is_gone(error: ProviderFatal) -> bool:
    """Whether the maker does not know a batch, by its answer to a request that names it."""
    return error.kind == "model"


def failure_of(status: Any, body: dict[str, Any]) -> Failure:
    return Failure(status if isinstance(status, int) and status >= 400 else 500, complaint_of(json.dumps(body)))


def sum_of(batch: dict[str, Any], *names: str) -> int:
    counts = batch.get("request_counts")
    values = [counts.get(name) for name in names] if isinstance(counts, dict) else []
    return sum(value for value in values if isinstance(value, int))


def time_of(value: Any) -> datetime:
    """OpenAI names seconds, Anthropic a date."""
    with suppress(ValueError, OverflowError):
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC)
        return datetime.fromisoformat(text_in(value))
    return datetime.max.replace(tzinfo=UTC)
