"""Turns every failure of a query into ProviderRetry or ProviderFatal with one plain sentence.

SDK errors have the HTTP response or the transport error as their cause, so the SDKs need not be imported here. Other
errors are our own bugs and are returned unchanged.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import httpx2

from agents.llm import ProviderFatal, ProviderRetry, Usage
from agents.providers.complaints import STATUSES, Complaint, complaint_of, error_in
from agents.providers.connections import AddressNotAllowed
from agents.providers.transport import BodyTooLarge
from agents.providers.wire import retry_after

MAX_MESSAGE = 300
MIN_SECRET = 4

CREDIT = re.compile(
    r"insufficient[_ ]?(user[_ ]|account[_ ])?(quota|balance|credit|funds)|credit[_ ]balance|available credits|out of credit"
    r"|(no|have any) credit|(balance|quota|credits?) (is|are) (insufficient|not enough|depleted|exhausted)"
    r"|exceeded_current_quota|enough (balance|credit)"
    r"|spend(ing)?[ _-](limit|cap)|billing_(error|hard_limit|not_active)|billing_unavailable|api usage limits"
    r"|budget_exceeded|budget (has been )?exceeded|over budget|(daily|weekly|monthly) budget|key limit exceeded|arrear"
    r"|余额不足|额度不足|欠费",
    re.IGNORECASE,
)
BAD_KEY = re.compile(
    r"(invalid|incorrect|wrong) api[ _-]key|api[ _-]key (is |was )?(not valid|invalid|expired|disabled|revoked|reported)"
    r"|api_key_invalid|authentication_error|not authenticated|login fail"
    r"|(organization|account) (has been|is) (disabled|deactivated|suspended)",
    re.IGNORECASE,
)
CONTEXT = re.compile(
    r"context[ _-](length|window|size|limit)|maximum context|prompt is too long|input is too long"
    r"|too many (input )?tokens|input token count|string_above_max_length|maximum (prompt|input|model) length",
    re.IGNORECASE,
)
NO_MODEL = re.compile(
    r"model[ _]not[ _](found|exist)|model .{0,200}(does not exist|not found)|unknown model|not a valid model"
    r"|model .{0,200}(decommissioned|retired|no longer (supported|available))",
    re.IGNORECASE,
)

FATAL = {
    "credit": "The account at the provider has no credit left or has reached its spend limit",
    "key": "The provider refuses the key",
    "forbidden": "The provider does not allow this key to use the model",
    "model": "The endpoint {origin} does not know the model {model}, or its address is wrong",
    "context": "The chat is longer than the model {model} can read",
    "request": "The provider refuses the request",
}
RETRY_KINDS = {408: "timeout", 429: "limit", 504: "timeout"}
OVERLOADED = "The provider is overloaded"
RETRY = {
    408: "The provider gave up waiting for the request",
    409: "The provider asks to send the request again",
    425: "The provider asks to send the request later",
    429: "The provider limits the rate of requests",
    498: OVERLOADED,
    503: OVERLOADED,
    529: OVERLOADED,
}
LIMITED = (429, 498, 503, 529)

NO_FLEX = re.compile(r"resource[_ ]unavailable", re.IGNORECASE)
"""Pattern: the tier FLEX has no capacity at the moment. This is not a rate limit of the key, and is not billed."""

MODERATED = re.compile(
    r"moderat|flagged|content[ _](policy|filter|violates)|safety|harmful|inappropriate|prohibited[_ ](content|material)"
    r"|(input|output|content) .{0,15}sensitive|high risk|(usage|security) polic|policy[_ ]violation|data_inspection",
    re.IGNORECASE,
)
MODEL_WORD = re.compile(r"\b(model|deployment)s?\b", re.IGNORECASE)
RATE_LIMIT = re.compile(r"rate[_ ]limit|too many requests|resource_exhausted", re.IGNORECASE)

FATAL_KINDS: dict[str, tuple[re.Pattern[str], int | None, tuple[int, ...]]] = {
    "key": (BAD_KEY, 401, (200, 400, 403)),
    "context": (CONTEXT, 413, (200, 400, 403, 422)),
    "model": (NO_MODEL, 404, (200, 400, 403, 410)),
    "request": (MODERATED, None, (200,)),
}
"""Permanent errors: the pattern of the message, the status that always means it, and those with which the message decides."""


@dataclass(frozen=True)
class Endpoint:
    """The endpoint as named in error messages. `secrets`: texts to mask."""

    origin: str
    model: str
    secrets: tuple[str, ...] = field(default=(), repr=False)
    seconds: float = 0.0

    @classmethod
    def of(cls, base_url: str, model: str, secrets: tuple[str, ...], seconds: float) -> Self:
        """Make an endpoint from its base URL. Raises ProviderFatal for an invalid address."""
        try:
            url = httpx2.URL(base_url)
        except httpx2.InvalidURL:
            url = httpx2.URL()
        if url.scheme not in ("http", "https") or not url.host:
            raise ProviderFatal("address", "The base URL is not the address of a web server.")
        port = f":{url.port}" if url.port else ""
        host = f"[{url.host}]" if ":" in url.host else url.host
        return cls(f"{url.scheme}://{host}{port}", model, secrets, seconds)

    def masked(self, text: str, shortest: int) -> str:
        """Replace the secrets in a text. Shorter ones than `shortest` may be words, and stay."""
        for secret in self.secrets:
            text = text.replace(secret, "[key]") if len(secret) >= shortest else text
        return text

    def redacted_line(self, text: str) -> str:
        """Make foreign text safe for a message: one short line without control characters and secrets."""
        visible = "".join(c if unicodedata.category(c)[0] != "C" else " " if c in "\t\r\n" else "" for c in text)
        line = self.masked(" ".join(visible.split()), MIN_SECRET)
        return line if len(line) <= MAX_MESSAGE else line[: MAX_MESSAGE - 1] + "…"


@dataclass(frozen=True)
class Failure:
    """A failed query: an HTTP status with the provider's complaint, a transport error, or an error instead of a reply.

    in_reply: whether the error came instead of a reply, which the model may have begun
    usage: the tokens that the provider bills for it, None if it does not say
    """

    status: int = 0
    complaint: Complaint = Complaint()
    headers: Mapping[str, str] = field(default_factory=dict)
    cause: Exception | None = None
    in_reply: bool = False
    usage: Usage | None = None

    @classmethod
    def of(cls, error: Exception) -> Self:
        response = getattr(error, "response", None)
        if isinstance(response, httpx2.Response):
            return cls(response.status_code, complaint_of(response.text), response.headers)
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, httpx2.HTTPError | httpx2.InvalidURL | OSError):
            cause = cause.__cause__
        return cls(cause=cause if isinstance(cause, Exception) else error)

    @classmethod
    def within(cls, data: Mapping[str, Any], usage: Usage) -> Self | None:
        """Find the error in an answer with status 200; None without one. The code of the error becomes the status."""
        error = error_in(data)
        if error is None:
            return None
        complaint = complaint_of(json.dumps(error))
        numbers = [int(code) for code in complaint.codes.split() if code.isdecimal()]
        limited = RATE_LIMIT.search(complaint.text)
        typed_status = next((code for kind, code in STATUSES.items() if kind in complaint.codes.lower().split()), 200)
        status = next((code for code in numbers if 400 <= code < 600), 429 if limited else typed_status)
        return cls(status, complaint, in_reply=True, usage=usage if usage.input_tokens or usage.output_tokens else None)


def fault(failure: Failure, endpoint: Endpoint) -> Exception:
    """Return the error to raise for a failure: ProviderRetry, ProviderFatal, or the cause itself if it is our own bug."""
    status, message = failure.status, failure.complaint.message
    if not status:
        return _transport_fault(failure.cause, endpoint)
    if 300 <= status < 400:
        sentence = (
            f"The endpoint {endpoint.origin} redirects to another address (status {status}), which is not followed; "
        )
        return ProviderFatal("address", f"{sentence}give the final address as the base URL.")
    if kind := _fatal_kind(failure):
        opening = FATAL[kind].format(origin=endpoint.origin, model=endpoint.redacted_line(endpoint.model))
        of_model = kind == "model" or (kind == "forbidden" and bool(MODEL_WORD.search(message)))
        sentence = _sentence(f"{opening} (status {status})", endpoint, message)
        return ProviderFatal(kind, sentence, usage=failure.usage, of_model=of_model)
    if failure.in_reply and not 400 <= status < 500 and status not in LIMITED:
        return unreadable(endpoint, "an error instead of a reply", message, usage=failure.usage)
    if status < 300:
        return unreadable(endpoint, f"status {status}")
    # At this point, these statuses can only mean a rate limit.
    status = 429 if status in (400, 403) else status
    is_full = status == 429 and bool(NO_FLEX.search(failure.complaint.text))
    opening = "The provider has no room for calls by flex" if is_full else RETRY.get(status, "The provider failed")
    return ProviderRetry(
        _sentence(f"{opening} (status {failure.status})", endpoint, message),
        retry_after=retry_after(failure.headers, failure.complaint.wait),
        may_be_billed=failure.usage is not None,
        usage=failure.usage,
        limited=status in LIMITED and not is_full,
        kind="capacity" if is_full else RETRY_KINDS.get(status, "endpoint"),
    )


def unreadable(endpoint: Endpoint, what: str, message: str = "", **billed: Any) -> ProviderRetry:
    """The error for an answer that is not a reply. `what` completes the sentence "The endpoint answered with ..."."""
    return ProviderRetry(_sentence(f"The endpoint {endpoint.origin} answered with {what}", endpoint, message), **billed)


def _fatal_kind(failure: Failure) -> str | None:
    """The kind of ProviderFatal for a failure; None if a retry makes sense."""
    status, text = failure.status, failure.complaint.text
    if status == 402 or ((failure.in_reply or status in (400, 403, 429)) and CREDIT.search(text)):
        return "credit"
    if status in RETRY or status >= 500 or (status in (400, 403) and RATE_LIMIT.search(text)):
        return "request" if failure.headers.get("x-should-retry") == "false" else None
    kinds = (
        kind
        for kind, (pattern, always, at_times) in FATAL_KINDS.items()
        if status == always or (status in at_times and pattern.search(text))
    )
    # A refusal of this particular input does not affect other runs.
    other = "forbidden" if status == 403 and not MODERATED.search(text) else "request"
    return next(kinds, None if status == 200 else other)


def _transport_fault(cause: Exception | None, endpoint: Endpoint) -> Exception:
    origin = endpoint.origin
    match cause:
        case AddressNotAllowed():
            return ProviderFatal("address", f"The endpoint {origin} is not called: {cause}")
        case httpx2.PoolTimeout():
            return ProviderRetry(f"All connections to {origin} were in use.", may_be_billed=False)
        case httpx2.ConnectError() | httpx2.ConnectTimeout() | httpx2.ProxyError():
            return ProviderRetry(
                _sentence(f"The endpoint {origin} did not answer", endpoint, str(cause)),
                may_be_billed=False,
                kind="timeout" if isinstance(cause, httpx2.ConnectTimeout) else "endpoint",
            )
        case httpx2.UnsupportedProtocol() | httpx2.InvalidURL() | httpx2.LocalProtocolError():
            return ProviderFatal("address", f"The address {origin} or the key cannot be used in a request.")
        case httpx2.TimeoutException():
            limit = f"{endpoint.seconds:g} seconds"
            return ProviderRetry(f"The endpoint {origin} did not finish its answer within {limit}.", kind="timeout")
        case BodyTooLarge():
            return unreadable(endpoint, str(cause))
        case httpx2.DecodingError():
            return unreadable(endpoint, "a body that cannot be decoded")
        case httpx2.HTTPError() | OSError():
            return ProviderRetry(f"The connection to {origin} broke before the answer was complete.")
    return cause or RuntimeError("A query failed without an error.")


def _sentence(opening: str, endpoint: Endpoint, message: str) -> str:
    line = endpoint.redacted_line(message)
    return f"{opening}: {line}" if line else f"{opening}."
