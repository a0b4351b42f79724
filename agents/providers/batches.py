"""Batches of OpenAI and Anthropic: requests that are answered within a day, each at half of its price.

`mark` is our own text, unique to a batch. It identifies a batch that was submitted shortly before a crash.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from agents.llm import ProviderFatal
from agents.options import LLMOptions
from agents.providers.client import Client
from agents.providers.complaints import STATUSES, complaint_of
from agents.providers.faults import Failure
from agents.providers.makers import MAKERS, Anthropic, OpenAI
from agents.providers.wire import dict_in, dicts_in, text_in

MOST_BYTES = 256 * 2**20
"""Maximum size of a file of results."""

MOST_LINES = 10_000
"""Maximum number of lines in our batches. The makers accept 50,000 and more."""

HOURS = 24
"""Maximum time that the makers need for a batch, in hours."""

CLOCKS = timedelta(hours=1)
"""Tolerated difference between the clocks of a maker and of this site."""

PAGE_SIZE = 100
ID = re.compile(r"[\w-]{1,200}")

UNANSWERED = "The batch ended before this line was processed."

Outcome = dict[str, Any] | Failure | str
"""Outcome of a line: the answer, an error, or the reason why the line was not processed. Such a line is not billed."""


@dataclass(frozen=True)
class Line:
    """A request of a batch. `custom_id`: 1 to 64 letters, digits, - and _, unique within the batch."""

    custom_id: str
    body: dict[str, Any]


@dataclass(frozen=True)
class Status:
    """Status of a batch. `error`: why the maker refused the whole batch.

    answered: number of lines with an outcome so far, 0 if unknown; is_complete: whether every line has an outcome
    """

    ended: bool
    answered: int = 0
    is_complete: bool = False
    error: str = ""


class Undecided(Exception):
    """Raised if it is unknown whether a batch was submitted, until other batches of the key have ended."""


class Batches(ABC):
    """Batches at a maker, through the client of an agent. Every method may raise ProviderRetry or ProviderFatal."""

    def __init__(self, client: Client):
        self._client = client

    @abstractmethod
    def submit(self, lines: list[Line], path: str, mark: str) -> str:
        """Submit a new batch and return its id. `path`: the path of the wire format."""

    @abstractmethod
    def submitted(self, mark: str, lines: int, since: datetime, others: Collection[str]) -> str:
        """Find the batch with this mark; return its id, empty if there is none. Raises Undecided if that is unknown.

        lines: size of the batch; since: earliest time of its submission; others: ids of other known batches
        """

    @abstractmethod
    def status(self, batch_id: str) -> Status: ...

    @abstractmethod
    def results(self, batch_id: str) -> Iterator[tuple[str, Outcome]]:
        """Yield `custom_id` and outcome of each line of an ended batch, in any order."""

    @abstractmethod
    def cancel(self, batch_id: str) -> None:
        """Ask the maker to end a batch. Lines already answered keep their answers and are billed."""

    def _object(self, method: str, path: str, **content: Any) -> dict[str, Any]:
        return self._client.read_object(self._client.call(method, path, **content))

    def _id(self, data: dict[str, Any]) -> str:
        """Read the id of a batch or file from an answer. It is checked, because it becomes part of URLs."""
        value = text_in(data.get("id"))
        if not ID.fullmatch(value):
            raise self._client.unreadable("a body that holds no id")
        return value

    def _lines(self, path: str) -> Iterator[dict[str, Any]]:
        lines = self._client.call("get", path, most_bytes=MOST_BYTES).split("\n")
        return (self._client.read_object(line) for line in lines if line.strip())

    def _pages(self, path: str, cursor: str, since: datetime) -> Iterator[dict[str, Any]]:
        """Yield the batches of the key from the newest back to `since`. `cursor`: parameter name for the next page."""
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
    """Whether an error, raised by a request about a batch, says that the maker does not know the batch."""
    return error.kind == "model"


def failure_of(status: Any, body: dict[str, Any]) -> Failure:
    return Failure(status if isinstance(status, int) and status >= 400 else 500, complaint_of(json.dumps(body)))


def sum_of(batch: dict[str, Any], *names: str) -> int:
    counts = dict_in(batch.get("request_counts"))
    return sum(value for value in map(counts.get, names) if isinstance(value, int))


def time_of(value: Any) -> datetime:
    """Parse a time: OpenAI gives seconds, Anthropic a date. An unreadable time counts as the latest possible one."""
    with suppress(ValueError, OverflowError):
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC)
        return datetime.fromisoformat(text_in(value))
    return datetime.max.replace(tzinfo=UTC)


COUNTS = ("processing", "succeeded", "errored", "canceled", "expired")


class AnthropicBatches(Batches):
    path = "/v1/messages/batches"

    def submit(self, lines: list[Line], path: str, mark: str) -> str:
        body = {"requests": [{"custom_id": line.custom_id, "params": line.body} for line in lines]}
        return self._id(self._object("post", self.path, body=body))

    def submitted(self, mark: str, lines: int, since: datetime, others: Collection[str]) -> str:
        # The mark is in the lines, which are hidden while a batch runs. A running batch of our size may be ours.
        goes_on = False
        for batch in self._pages(self.path, "after_id", since):
            batch_id = self._id(batch)
            may_be_ours = batch_id not in others and sum_of(batch, *COUNTS) == lines
            has_ended = batch.get("processing_status") == "ended"
            if may_be_ours and has_ended and next(self.results(batch_id), ("",))[0].startswith(mark):
                return batch_id
            goes_on = goes_on or (may_be_ours and not has_ended)
        if goes_on:
            raise Undecided
        return ""

    def status(self, batch_id: str) -> Status:
        batch = self._object("get", f"{self.path}/{batch_id}")
        return Status(batch.get("processing_status") == "ended", sum_of(batch, *COUNTS[1:]), is_complete=True)

    def results(self, batch_id: str) -> Iterator[tuple[str, Outcome]]:
        for line in self._lines(f"{self.path}/{batch_id}/results"):
            yield text_in(line.get("custom_id")), _outcome_of_result(line.get("result"))

    def cancel(self, batch_id: str) -> None:
        self._client.call("post", f"{self.path}/{batch_id}/cancel")


def _outcome_of_result(result: Any) -> Outcome:
    result = dict_in(result)
    kind, message, error = text_in(result.get("type")), result.get("message"), result.get("error")
    if kind == "succeeded" and isinstance(message, dict):
        return message
    if kind == "errored" and isinstance(error, dict):
        return failure_of(STATUSES.get(text_in(dict_in(error.get("error", error)).get("type")), 500), error)
    return UNANSWERED if kind in ("expired", "canceled") else {}


ENDED = ("completed", "expired", "cancelled", "failed")


class OpenAIBatches(Batches):
    def submit(self, lines: list[Line], path: str, mark: str) -> str:
        url = f"/v1{path}"
        rows = (
            json.dumps({"custom_id": line.custom_id, "method": "POST", "url": url, "body": line.body}) for line in lines
        )
        file = self._object(
            "post",
            "/files",
            files={"file": (f"{mark}.jsonl", "\n".join(rows).encode())},
            body={"purpose": "batch"},
            headers={"Content-Type": "multipart/form-data"},
        )
        batch = {"input_file_id": self._id(file), "endpoint": url, "completion_window": f"{HOURS}h"}
        return self._id(self._object("post", "/batches", body=batch | {"metadata": {"econevals": mark}}))

    def submitted(self, mark: str, lines: int, since: datetime, others: Collection[str]) -> str:
        batches = self._pages("/batches", "after", since)
        ours = (batch for batch in batches if dict_in(batch.get("metadata")).get("econevals") == mark)
        return next(map(self._id, ours), "")

    def status(self, batch_id: str) -> Status:
        batch = self._object("get", f"/batches/{batch_id}")
        status, errors = batch.get("status"), dicts_in(dict_in(batch.get("errors")).get("data"))
        sentence = next((text_in(error.get("message")) for error in errors), "The provider refuses the batch.")
        error = sentence if status == "failed" else ""
        return Status(status in ENDED, sum_of(batch, "completed", "failed"), status == "completed", error)

    def results(self, batch_id: str) -> Iterator[tuple[str, Outcome]]:
        batch = self._object("get", f"/batches/{batch_id}")
        for name in ("output_file_id", "error_file_id"):
            if file_id := text_in(batch.get(name)):
                for line in self._lines(f"/files/{self._id({'id': file_id})}/content"):
                    yield text_in(line.get("custom_id")), _outcome_of_line(line)

    def cancel(self, batch_id: str) -> None:
        self._client.call("post", f"/batches/{batch_id}/cancel")


def _outcome_of_line(line: dict[str, Any]) -> Outcome:
    response, error = dict_in(line.get("response")), line.get("error")
    body, status = response.get("body"), response.get("status_code")
    if isinstance(body, dict):
        return body if status == 200 else failure_of(status, body)
    return text_in(error.get("message")) or UNANSWERED if isinstance(error, dict) else {}


def batches_of(options: LLMOptions) -> type[Batches] | None:
    """The class for batches of an agent's maker; None for other endpoints than OpenAI's and Anthropic's own."""
    maker = MAKERS[options.provider]
    if not maker.is_own(options.base_url):
        return None
    return {OpenAI: OpenAIBatches, Anthropic: AnthropicBatches}[type(maker)]
