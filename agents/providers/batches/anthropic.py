"""Anthropic's message batches: one request carries all lines, and one answer all results."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from agents.providers.batches.interface import (
    UNANSWERED,
    Batches,
    Line,
    Outcome,
    Status,
    Undecided,
    failure_of,
    sum_of,
)
from agents.providers.faults import STATUSES
from agents.providers.formats.wire_format import text_in

COUNTS = ("processing", "succeeded", "errored", "canceled", "expired")


class AnthropicBatches(Batches):
    path = "/v1/messages/batches"

    def submit(self, lines: list[Line], path: str, mark: str) -> str:
        requests = [{"custom_id": line.custom_id, "params": line.body} for line in lines]
        return self._id(self._object("post", self.path, body={"requests": requests}))

    def submitted(self, mark: str, lines: int, since: datetime, others: Collection[str]) -> str:
        """A batch shows its lines only when it has ended. So one of the same size that goes on leaves it undecided."""
        goes_on = False
        for batch in self._pages(self.path, "after_id", since):
            batch_id = self._id(batch)
            if batch_id in others or sum_of(batch, *COUNTS) != lines:
                continue
            if batch.get("processing_status") != "ended":
                goes_on = True
            elif next(self.results(batch_id), ("",))[0].startswith(mark):
                return batch_id
        if goes_on:
            raise Undecided
        return ""

    def status(self, batch_id: str) -> Status:
        batch = self._object("get", f"{self.path}/{batch_id}")
        return Status(batch.get("processing_status") == "ended", sum_of(batch, *COUNTS[1:]), is_complete=True)

    def results(self, batch_id: str) -> Iterator[tuple[str, Outcome]]:
        for line in self._lines(f"{self.path}/{batch_id}/results"):
            yield text_in(line.get("custom_id")), _outcome_of(line.get("result"))

    def cancel(self, batch_id: str) -> None:
        self._client.call("post", f"{self.path}/{batch_id}/cancel")


def _outcome_of(result: Any) -> Outcome:
    result = result if isinstance(result, dict) else {}
    kind, message, error = text_in(result.get("type")), result.get("message"), result.get("error")
    if kind == "succeeded" and isinstance(message, dict):
        return message
    if kind == "errored" and isinstance(error, dict):
        inner = error.get("error", error)
        return failure_of(STATUSES.get(text_in(inner.get("type")), 500) if isinstance(inner, dict) else 500, error)
    return UNANSWERED if kind in ("expired", "canceled") else {}
