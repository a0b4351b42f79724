"""Complaints of providers: what an error body says, and errors that arrive instead of a reply."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.providers.wire import dict_in, dicts_in, first_choice, parse_json

MAX_SCANNED = 4000
STATUSES = {
    "invalid_request_error": 400,
    "badrequesterror": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "notfounderror": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""HTTP status by type of error, for errors that arrive with status 200 or in a batch."""


@dataclass(frozen=True)
class Complaint:
    """Content of an error body: message, error codes, the name of the wrong parameter, and the time to wait, as "32s"."""

    message: str = ""
    codes: str = ""
    parameter: str = ""
    wait: str = ""

    @property
    def text(self) -> str:
        """The codes and the message, to be searched together."""
        return f"{self.codes} {self.message}"


PAID_REFUSAL = re.compile(r"invalid_prompt|_policy\b|policy_violation")
"""Pattern for codes of failed responses that are a refusal by the model, and therefore count as a reply."""

MESSAGE_FIELDS = ("message", "detail", "msg", "status_msg", "error_msg", "error_message", "errors")
"""Fields in which servers put the error message."""

UNFINISHED = ("failed", "cancelled", "queued", "in_progress")
"""States of a response without a reply."""


def error_in(data: Mapping[str, Any]) -> Any:
    """Find the error in an answer with status 200 that has an error instead of a reply; None without one."""
    error, is_response = data.get("error"), "output" in data
    if is_response and PAID_REFUSAL.search(str(dict_in(error).get("code"))):
        return None
    is_unfinished = is_response and not data["output"] and data.get("status") in UNFINISHED
    if error or is_unfinished or data.get("type") == "error":
        return data
    if (choice := first_choice(data)).get("error"):
        return choice
    # The format of MiniMax and related servers.
    base = dict_in(data.get("base_resp"))
    if base.get("status_code") not in (None, 0, "0"):
        return base
    is_reply = any(data.get(name) for name in ("choices", "content", "output", "usage"))
    says = any(isinstance(data.get(name), str | list) and data[name] for name in MESSAGE_FIELDS)
    return data if says and not is_reply else None


def complaint_of(body: str, *, is_outer: bool = True) -> Complaint:
    """Read the complaint from an error body in the format of OpenAI, Anthropic, Google (a list), FastAPI or xAI, or as text.

    is_outer: False for the complaint of another provider, quoted by a router in its own complaint
    """
    try:
        data = parse_json(body)
    except ValueError:
        # HTML comes from a proxy and has no useful message.
        return Complaint("" if body.lstrip().startswith("<") else body[:MAX_SCANNED])
    outer = dict_in(data)
    error = outer.get("error") or outer
    error = error["error"] if isinstance(error, dict) and isinstance(error.get("error"), dict) else error
    plain_text = ": ".join(text for text in (error, outer.get("message")) if isinstance(text, str))
    inner: dict[str, Any] = error if isinstance(error, dict) else {"message": plain_text or error}
    message = next((inner[name] for name in MESSAGE_FIELDS if inner.get(name)), outer.get("message") or data)
    message = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
    raw = dict_in(inner.get("metadata")).get("raw") if is_outer else None
    quoted = complaint_of(raw if isinstance(raw, str) else json.dumps(raw), is_outer=False) if raw else Complaint()
    listed = inner.get("details")
    details = dicts_in(listed if isinstance(listed, list) else [listed])
    codes = [
        *(inner.get(name) for name in ("type", "code", "status", "error_code")),
        outer.get("code"),
        *(detail.get("error_code") for detail in details),
        quoted.codes,
    ]
    return Complaint(
        (f"{message}: {quoted.message}" if quoted.message else message)[:MAX_SCANNED],
        " ".join(str(code) for code in codes if isinstance(code, str | int))[:MAX_SCANNED],
        inner["param"] if isinstance(inner.get("param"), str) else quoted.parameter,
        next((str(detail["retryDelay"]) for detail in details if detail.get("retryDelay")), quoted.wait),
    )
