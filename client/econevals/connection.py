"""A connection to a site. It stays open, and repeats requests whose answer was lost."""

import json
import logging
import random
import re
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPMessage
from threading import Lock
from typing import Any, TypedDict, Unpack
from urllib.parse import urlencode

from econevals.addresses import Address
from econevals.errors import NoAnswer, Refused
from econevals.version import __version__

logger = logging.getLogger("econevals")

TRY_AGAIN = (429, 500, 502, 503, 504)
LONGEST_PAUSE = 30.0


class Options(TypedDict, total=False):
    """Options of a connection.

    allow_plain_http: whether the token may be sent without encryption to a host that is not this machine
    timeout: seconds that one answer may take, 60 by default
    patience: seconds for which a request without answer is repeated, 600 by default
    context: TLS context; by default certificates are checked against the authorities that the system trusts
    """

    allow_plain_http: bool
    timeout: float
    patience: float
    context: ssl.SSLContext | None


@dataclass(frozen=True)
class Token:
    """A token that `repr` does not show. Raises ValueError for a text that cannot be a token."""

    value: str = field(repr=False)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\x21-\x7e]+", self.value):
            raise ValueError("The token is empty or has characters that no token has.")


@dataclass(frozen=True)
class Answer:
    """A response of the site. Names of `headers` may be in any case."""

    status: int
    headers: HTTPMessage
    content: bytes

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait according to Retry-After, which is a number or a date; None without one."""
        text = self.headers.get("retry-after", "")
        if text.isdecimal():
            return float(text)
        try:
            return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
        except ValueError:
            return None


class Connection:
    """A connection to a site with one token. Threads may share it; then their requests wait for each other."""

    def __init__(self, url: str, token: str, **options: Unpack[Options]):
        self.address = Address.of(url)
        self._token = Token(token.strip())
        self._timeout = options.get("timeout", 60.0)
        self._patience = options.get("patience", 600.0)
        self._context = options.get("context")
        trusted = options.get("allow_plain_http", False) or self.address.is_this_machine
        if self.address.scheme == "http" and not trusted:
            raise ValueError(
                f"Over http everybody on the way to {self.address.host} could read the token; use https, or "
                "allow_plain_http=True on a network that you trust."
            )
        self._lock = Lock()
        self._http: HTTPConnection | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} to {self.address}>"

    def close(self) -> None:
        with self._lock:
            if self._http:
                self._http.close()

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send a request, and return the JSON of the answer; None if it is empty.

        The request must be safe to repeat: it is sent again while its answer is lost or the site is busy. Raises Refused
        for an error of the site, NoAnswer after `patience` seconds.
        """
        parameters = {name: value for name, value in (query or {}).items() if value is not None}
        target = self.address.path + path + (f"?{urlencode(parameters, doseq=True)}" if parameters else "")
        content = None if body is None else json.dumps(body).encode()
        end = time.monotonic() + self._patience
        for pause in _pauses():
            was_open = self._http is not None and self._http.sock is not None
            answer, problem = self._send(method, target, content, headers or {})
            if answer is None:
                # The site may have closed an idle connection, so the first retry needs no pause.
                pause = 0.0 if was_open else pause
            else:
                if answer.status not in TRY_AGAIN and not (answer.status == 409 and answer.retry_after is not None):
                    return _content(answer)
                pause = pause if answer.retry_after is None else answer.retry_after
            if time.monotonic() + pause > end:
                if answer is not None:
                    return _content(answer)
                raise NoAnswer(f"{self.address} does not answer: {problem}.")
            if pause:
                logger.warning("%s %s: %s; trying again in %.1f s", method, path, problem, pause)
                time.sleep(pause)

    def _send(
        self, method: str, target: str, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[Answer | None, str]:
        """Send a request once. Returns the answer or None, and a short text with the status or the error."""
        default_headers = {
            "Authorization": f"Bearer {self._token.value}",
            "Accept": "application/json",
            "User-Agent": f"econevals-python/{__version__}",
            **({} if content is None else {"Content-Type": "application/json"}),
        }
        with self._lock:
            try:
                self._http = self._http or self.address.connection(self._timeout, self._context)
                self._http.request(method, target, content, {**default_headers, **headers})
                response = self._http.getresponse()
                return Answer(response.status, response.headers, response.read()), f"status {response.status}"
            except ssl.SSLCertVerificationError as error:
                self._http = None
                raise NoAnswer(f"{self.address} is not trusted: {error.verify_message}.") from None
            except (OSError, HTTPException) as error:
                if self._http:
                    self._http.close()
                return None, str(error) or type(error).__name__


def _pauses() -> Iterator[float]:
    longest = 1.0
    while True:
        yield random.uniform(longest / 2, longest)
        longest = min(2 * longest, LONGEST_PAUSE)


def _content(answer: Answer) -> Any:
    """Return the JSON of an answer. Raises Refused unless the status is a success."""
    try:
        data = json.loads(answer.content) if answer.content else None
    except ValueError:
        data = None
        if answer.status < 300:
            raise Refused(
                answer.status, "unreadable", "The answer is not JSON, so this is not an EconEvals site."
            ) from None
    if answer.status < 300:
        return data
    error = data.get("error") if isinstance(data, dict) else None
    if isinstance(error, dict):
        raise Refused(answer.status, str(error.get("code")), str(error.get("message")), error.get("fields"))
    where = f" to {answer.headers['location']}" if answer.status < 400 and "location" in answer.headers else ""
    raise Refused(answer.status, "unexpected", f"The site answered with status {answer.status}{where}.")
