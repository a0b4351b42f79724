"""Batches of OpenAI and Anthropic: lines that are answered as single requests are, at half the price, on command."""

from __future__ import annotations

import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tests.emulators import batch_forms
from tests.emulators.rules import Refused, digest

if TYPE_CHECKING:
    from tests.emulators.server import Emulator

HALF = Fraction(1, 2)
OPEN = ("validating", "in_progress", "finalizing", "cancelling", "canceling")
MOST_LINES = {"openai": 50_000, "anthropic": 100_000}
CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ENDPOINTS = ("/v1/responses", "/v1/chat/completions")


@dataclass
class Batch:
    """One batch. `results` holds the outcome of each line by its custom_id: (kind, status, body)."""

    id: str
    maker: str
    lines: list[tuple[str, str, dict]]
    headers: dict[str, str]
    status: str
    fields: dict[str, Any] = field(default_factory=dict)
    created_at: float = field(default_factory=time.time)
    results: dict[str, tuple[str, int, Any]] = field(default_factory=dict)

    @property
    def shuffled(self) -> list[tuple[str, tuple[str, int, Any]]]:
        """The results in an order of their own, always the same."""
        listed = sorted(self.results.items())
        random.Random(self.id).shuffle(listed)
        return listed


class Batches:
    """All batches of an emulator; they only go on with `advance`.

    outcomes: custom_id to "expired", "errored" or "cancelled", for lines that shall not be answered
    answered: how often the model answered each custom_id; above 1, a line was submitted again
    """

    def __init__(self, emulator: Emulator):
        self._emulator = emulator
        self.all: list[Batch] = []
        self.files: dict[str, bytes] = {}
        self.outcomes: dict[str, str] = {}
        self.answered: Counter[str] = Counter()

    def advance(self, *, lines: int | None = None) -> None:
        """Move every open batch to its next status. `lines` answers only so many more and keeps the status."""
        with self._emulator.lock:
            for batch in [batch for batch in self.all if batch.status in OPEN]:
                match batch.status:
                    case "validating":
                        batch.status = "failed" if batch.fields.get("errors") else "in_progress"
                    case "in_progress":
                        self._answer(batch, lines)
                        if lines is None:
                            batch.status = "ended" if batch.maker == "anthropic" else "finalizing"
                    case "finalizing":
                        self._finish(batch, "completed")
                    case "cancelling" | "canceling":
                        self._close(batch, "cancelled")
                        self._finish(batch, "ended" if batch.maker == "anthropic" else "cancelled")

    def expire(self) -> None:
        """End every open batch as after 24 hours: lines without an answer are expired."""
        with self._emulator.lock:
            for batch in [batch for batch in self.all if batch.status in OPEN]:
                self._close(batch, "expired")
                self._finish(batch, "ended" if batch.maker == "anthropic" else "expired")

    def _answer(self, batch: Batch, most: int | None) -> None:
        waiting = [line for line in batch.lines if line[0] not in batch.results]
        for custom_id, wire, body in waiting[:most]:
            outcome = self.outcomes.get(custom_id)
            if outcome in ("expired", "cancelled"):
                batch.results[custom_id] = (outcome, 0, None)
            elif outcome == "errored":
                refusal = Refused("The server had an error.", status=500, kind="api_error")
                batch.results[custom_id] = ("errored", 500, refusal.body(batch.maker))
            else:
                status, said = self._emulator.execute(wire, body, batch.headers, HALF)[:2]
                self.answered[custom_id] += status == 200
                batch.results[custom_id] = ("succeeded" if status == 200 else "errored", status, said)

    def _close(self, batch: Batch, outcome: str) -> None:
        for custom_id, _, _ in batch.lines:
            batch.results.setdefault(custom_id, (outcome, 0, None))

    def _finish(self, batch: Batch, status: str) -> None:
        batch.status = status
        if batch.maker == "openai":
            for name, content in batch_forms.openai_files(batch).items():
                file_id = f"file-{digest([batch.id, name])[:16]}"
                self.files[file_id] = content
                batch.fields[name] = file_id

    def take(self, method: str, path: str, headers: dict, body: Any, content: bytes, query: dict) -> tuple | None:
        """The answer to a request about files or batches, None for another one."""
        steps = path.strip("/").split("/")
        steps = steps[steps.index("v1") + 1 :] if "v1" in steps else steps
        try:
            match (method, *steps):
                case ("POST", "files"):
                    return 200, self._upload(headers, content)
                case ("GET", "files", file_id, "content") if file_id in self.files:
                    return 200, self.files[file_id]
                case ("POST", "batches"):
                    return 200, self._create_openai(headers, body)
                case ("GET", "batches"):
                    return 200, {"object": "list"} | self._page(query, "after", batch_forms.openai)
                case ("GET", "batches", batch_id):
                    return 200, batch_forms.openai(self._batch(batch_id))
                case ("POST", "batches", batch_id, "cancel"):
                    return 200, batch_forms.openai(self._cancel(batch_id, "cancelling"))
                case ("POST", "messages", "batches"):
                    return 200, self._shown(self._create_anthropic(headers, body))
                case ("GET", "messages", "batches"):
                    return 200, self._page(query, "after_id", self._shown)
                case ("GET", "messages", "batches", batch_id):
                    return 200, self._shown(self._batch(batch_id))
                case ("POST", "messages", "batches", batch_id, "cancel"):
                    return 200, self._shown(self._cancel(batch_id, "canceling"))
                case ("GET", "messages", "batches", batch_id, "results"):
                    return 200, batch_forms.anthropic_results(self._batch(batch_id))
        except Refused as refusal:
            return refusal.status, refusal.body(self._emulator.model.maker)
        return None

    def _page(self, query: dict[str, str], cursor: str, show: Callable[[Batch], dict]) -> dict:
        """A page of batches from the newest, or from the batch after the cursor."""
        rest, most = self.all[::-1], int(query.get("limit", 20))
        if query.get(cursor):
            rest = rest[rest.index(self._batch(query[cursor])) + 1 :]
        shown = [show(batch) for batch in rest[:most]]
        ends = {"first_id": shown[0]["id"], "last_id": shown[-1]["id"]} if shown else {}
        return {"data": shown, "has_more": len(rest) > most} | ends

    def _shown(self, batch: Batch) -> dict:
        return batch_forms.anthropic(batch, self._emulator.url)

    def _batch(self, batch_id: str) -> Batch:
        batch = next((batch for batch in self.all if batch.id == batch_id), None)
        if batch is None:
            raise Refused(f"No batch found with id '{batch_id}'.", status=404)
        return batch

    def _cancel(self, batch_id: str, status: str) -> Batch:
        batch = self._batch(batch_id)
        if batch.status not in OPEN:
            raise Refused(f"Cannot cancel a batch with status '{batch.status}'.", status=409)
        batch.status = status
        return batch

    def _upload(self, headers: dict[str, str], content: bytes) -> dict:
        """Keep a file sent as a form."""
        head = f"content-type: {headers.get('content-type', '')}\r\n\r\n".encode()
        parts = BytesParser(policy=HTTP).parsebytes(head + content)
        fields = {
            part.get_param("name", header="content-disposition"): (part.get_payload(decode=True), part.get_filename())
            for part in (parts.iter_parts() if parts.is_multipart() else ())
        }
        if fields.get("purpose", (b"",))[0] != b"batch" or "file" not in fields:
            raise Refused("Invalid value for 'purpose' or no file.", param="purpose", code="invalid_value")
        data, name = fields["file"]
        file_id = f"file-{digest([len(self.files), data.decode()])[:16]}"
        self.files[file_id] = data
        card = {"id": file_id, "object": "file", "bytes": len(data), "created_at": 0, "filename": name}
        return card | {"purpose": "batch", "status": "processed"}

    def _create_openai(self, headers: dict[str, str], body: dict) -> dict:
        file_id, endpoint = body.get("input_file_id"), body.get("endpoint")
        if file_id not in self.files:
            raise Refused(f"No such File object: {file_id}", param="input_file_id")
        if endpoint not in ENDPOINTS or body.get("completion_window") != "24h":
            raise Refused("Invalid 'endpoint' or 'completion_window'.", param="endpoint", code="invalid_value")
        lines, errors = batch_forms.openai_lines(self.files[file_id], endpoint, MOST_LINES["openai"])
        fields = {"input_file_id": file_id, "endpoint": endpoint, "errors": errors}
        fields["metadata"] = body.get("metadata")
        batch = Batch(f"batch_{len(self.all) + 1}", "openai", lines, headers, "validating", fields)
        self.all.append(batch)
        return batch_forms.openai(batch)

    def _create_anthropic(self, headers: dict[str, str], body: dict) -> Batch:
        requests = body.get("requests")
        if not isinstance(requests, list) or not 0 < len(requests) <= MOST_LINES["anthropic"]:
            raise Refused("requests: List should have 1 to 100000 items")
        lines = []
        for index, request in enumerate(requests):
            custom_id = str(request.get("custom_id"))
            if set(request) != {"custom_id", "params"} or not CUSTOM_ID.fullmatch(custom_id):
                raise Refused(f"requests.{index}.custom_id: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'")
            lines.append((custom_id, "/messages", json.loads(json.dumps(request["params"]))))
        if len({custom_id for custom_id, _, _ in lines}) < len(lines):
            raise Refused("requests: custom_id must be unique within a batch")
        batch = Batch(f"msgbatch_{len(self.all) + 1}", "anthropic", lines, headers, "in_progress")
        self.all.append(batch)
        return batch
