"""Parser for the error bodies of the usual providers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from agents.providers.wire import parse_json

MAX_SCANNED = 4000


@dataclass(frozen=True)
class Complaint:
    """An error body: message, error codes and the name of the wrong parameter."""

    message: str = ""
    codes: str = ""
    parameter: str = ""


def complaint_of(body: str) -> Complaint:
    """The complaint in an error body: OpenAI's, Anthropic's, Google's (a list), FastAPI's, xAI's, plain text."""
    try:
        data = parse_json(body)
    except ValueError:
        # HTML comes from a proxy and does not start with a message.
        return Complaint("" if body.lstrip().startswith("<") else body[:MAX_SCANNED])
    data = data[0] if isinstance(data, list) and data else data
    outer: dict[str, Any] = data if isinstance(data, dict) else {}
    error = outer.get("error", outer)
    inner: dict[str, Any] = error if isinstance(error, dict) else {"message": error}
    message = inner.get("message") or inner.get("detail") or inner.get("msg") or outer.get("message") or data
    details = inner["details"] if isinstance(inner.get("details"), dict) else {}
    codes = [inner.get("type"), inner.get("code"), inner.get("status"), outer.get("code"), details.get("error_code")]
    return Complaint(
        (message if isinstance(message, str) else json.dumps(message, ensure_ascii=False))[:MAX_SCANNED],
        " ".join(code for code in codes if isinstance(code, str))[:MAX_SCANNED],
        inner["param"] if isinstance(inner.get("param"), str) else "",
    )
