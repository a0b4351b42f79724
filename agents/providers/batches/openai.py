"""OpenAI's batches: a file of lines goes up, files of answers and of errors come back."""

import json
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from agents.providers.batches.interface import HOURS, UNANSWERED, Batches, Line, Outcome, Status, failure_of, sum_of
from agents.providers.formats.wire_format import dicts_in, text_in

ENDED = ("completed", "expired", "cancelled", "failed")


class OpenAIBatches(Batches):
    def submit(self, lines: list[Line], path: str, mark: str) -> str:
        url = f"/v1{path}"
        rows = (
            json.dumps({"custom_id": line.custom_id, "method": "POST", "url": url, "body": line.body}) for line in lines
        )
        files = {"file": (f"{mark}.jsonl", "\n".join(rows).encode())}
        form = {"body": {"purpose": "batch"}, "headers": {"Content-Type": "multipart/form-data"}}
        file_id = self._id(self._object("post", "/files", files=files, **form))
        batch = {"input_file_id": file_id, "endpoint": url, "completion_window": f"{HOURS}h"}
        return self._id(self._object("post", "/batches", body=batch | {"metadata": {"econevals": mark}}))

    def submitted(self, mark: str, lines: int, since: datetime, others: Collection[str]) -> str:
        marks = ((batch, batch.get("metadata")) for batch in self._pages("/batches", "after", since))
        return next(
            (self._id(batch) for batch, data in marks if isinstance(data, dict) and data.get("econevals") == mark), ""
        )

    def status(self, batch_id: str) -> Status:
        batch = self._object("get", f"/batches/{batch_id}")
        status, errors = batch.get("status"), batch.get("errors")
        listed = dicts_in(errors.get("data")) if isinstance(errors, dict) else []
        sentence = next((text_in(error.get("message")) for error in listed), "The provider refuses the batch.")
        error = sentence if status == "failed" else ""
        return Status(status in ENDED, sum_of(batch, "completed", "failed"), status == "completed", error)

    def results(self, batch_id: str) -> Iterator[tuple[str, Outcome]]:
        batch = self._object("get", f"/batches/{batch_id}")
        for name in ("output_file_id", "error_file_id"):
            if file_id := text_in(batch.get(name)):
                for line in self._lines(f"/files/{self._id({'id': file_id})}/content"):
                    yield text_in(line.get("custom_id")), _outcome_of(line)

    def cancel(self, batch_id: str) -> None:
        self._client.call("post", f"/batches/{batch_id}/cancel")


def _outcome_of(line: dict[str, Any]) -> Outcome:
    response, error = line.get("response"), line.get("error")
    if isinstance(response, dict) and isinstance(body := response.get("body"), dict):
        status = response.get("status_code")
        return body if status == 200 else failure_of(status, body)
    return text_in(error.get("message")) or UNANSWERED if isinstance(error, dict) else {}
