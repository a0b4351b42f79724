"""Batches, their lines and their results as OpenAI and Anthropic write them."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tests.emulators.rules import Refused

if TYPE_CHECKING:
    from tests.emulators.batches import Batch

LINE = {"custom_id", "method", "url", "body"}
UNANSWERED = {
    "expired": ("batch_expired", "This request could not be executed before the completion window expired."),
    "cancelled": ("batch_cancelled", "This request was not executed because the batch was cancelled."),
}


def openai_lines(content: bytes, endpoint: str, most: int) -> tuple[list[tuple[str, str, dict]], list[dict]]:
    """The lines of an input file, and why it is refused."""
    lines, errors, models = [], [], set()
    for number, text in enumerate(content.decode().splitlines(), start=1):
        try:
            line = json.loads(text)
        except ValueError:
            line = {}
        if set(line) != LINE or line["method"] != "POST" or line["url"] != endpoint:
            errors.append(_error(number, "invalid_json_line", "This line is not a request to the batch's endpoint."))
            continue
        models.add(line["body"].get("model"))
        if any(line["custom_id"] == custom_id for custom_id, _, _ in lines):
            errors.append(_error(number, "duplicate_custom_id", f"The custom_id '{line['custom_id']}' is there twice."))
        lines.append((str(line["custom_id"]), endpoint.removeprefix("/v1"), line["body"]))
    if not lines or len(lines) > most:
        errors.append(_error(None, "invalid_line_count", f"A batch has 1 to {most} lines."))
    if len(models) > 1:
        errors.append(_error(None, "mismatched_model", "All lines of a batch must name the same model."))
    return lines, errors


def _error(line: int | None, code: str, message: str) -> dict:
    return {"code": code, "line": line, "message": message, "param": None}


def _time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S.%fZ}"


def openai(batch: Batch) -> dict:
    """A batch as OpenAI shows it."""
    kinds = Counter(kind for kind, _, _ in batch.results.values())
    errors = batch.fields.get("errors") if batch.status == "failed" else None
    return {
        "id": batch.id,
        "object": "batch",
        "endpoint": batch.fields["endpoint"],
        "errors": {"object": "list", "data": errors} if errors else None,
        "input_file_id": batch.fields["input_file_id"],
        "completion_window": "24h",
        "status": batch.status,
        "output_file_id": batch.fields.get("output_file_id"),
        "error_file_id": batch.fields.get("error_file_id"),
        "created_at": int(batch.created_at),
        "expires_at": int(batch.created_at) + 86_400,
        "metadata": batch.fields["metadata"],
        "request_counts": {
            "total": len(batch.lines),
            "completed": kinds["succeeded"],
            "failed": sum(kinds.values()) - kinds["succeeded"],
        },
    }


def openai_files(batch: Batch) -> dict[str, bytes]:
    """Output and error file, those that have lines."""
    files: dict[str, list[str]] = {"output_file_id": [], "error_file_id": []}
    for custom_id, (kind, status, said) in batch.shuffled:
        response = {"status_code": status, "request_id": f"req_{custom_id}", "body": said} if status else None
        code, message = UNANSWERED.get(kind, ("", ""))
        line = {"id": f"batch_req_{custom_id}", "custom_id": custom_id, "response": response}
        line["error"] = {"code": code, "message": message} if code else None
        files["output_file_id" if kind == "succeeded" else "error_file_id"].append(json.dumps(line))
    return {name: ("\n".join(lines) + "\n").encode() for name, lines in files.items() if lines}


def anthropic(batch: Batch, url: str) -> dict:
    """A batch as Anthropic shows it."""
    ended = batch.status == "ended"
    kinds = Counter(kind for kind, _, _ in batch.results.values()) if ended else Counter()
    counts = {kind: kinds[kind] for kind in ("succeeded", "errored", "expired")}
    counts |= {"canceled": kinds["cancelled"], "processing": 0 if ended else len(batch.lines)}
    return {
        "id": batch.id,
        "type": "message_batch",
        "processing_status": batch.status,
        "request_counts": counts,
        "created_at": _time(batch.created_at),
        "expires_at": _time(batch.created_at + 86_400),
        "ended_at": _time(batch.created_at) if ended else None,
        "cancel_initiated_at": None,
        "archived_at": None,
        "results_url": f"{url}/v1/messages/batches/{batch.id}/results" if ended else None,
    }


def anthropic_results(batch: Batch) -> bytes:
    """The results as lines of JSON. Raises Refused while the batch is open."""
    if batch.status != "ended":
        raise Refused("The results of this batch are not yet available.", status=404)
    lines = []
    for custom_id, (kind, _, said) in batch.shuffled:
        result: dict[str, Any] = {"type": "canceled" if kind == "cancelled" else kind}
        if kind == "succeeded":
            result["message"] = said
        elif kind == "errored":
            result["error"] = said
        lines.append(json.dumps({"custom_id": custom_id, "result": result}))
    return ("\n".join(lines) + "\n").encode()
