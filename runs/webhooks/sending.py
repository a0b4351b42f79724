"""One message to one address: a single deadline, the address checked when it is connected to, no redirects, no proxy,
and no more of the answer read than is kept."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import httpcore2
import httpx2

from agents.providers.transport import DeadlineBackend
from runs.webhooks.policy import AddressRefused, addresses_to_call, check_scheme

DEADLINE_SECONDS = 10.0
MAX_ANSWER_BYTES = 4096


@dataclass(frozen=True)
class Answer:
    """What came back: `status` None where nothing did. `problem` is a sentence, empty where the message was taken."""

    status: int | None = None
    seconds: float = 0.0
    text: str = ""
    problem: str = ""

    @property
    def ok(self) -> bool:
        return not self.problem


class CheckedBackend(DeadlineBackend):
    """Connects to the addresses that were checked, so that a name cannot change its meaning in between."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        left = DEADLINE_SECONDS if timeout is None else timeout - time.monotonic()
        error: Exception = httpcore2.ConnectError("There is no address.")
        for address in addresses_to_call(host, port, left):
            try:
                return super().connect_tcp(address, port, timeout, local_address, socket_options)
            except httpcore2.ConnectError as failure:
                error = failure
        raise error


def send(url: str, headers: Sequence[tuple[str, str]], body: bytes, *, seconds: float = DEADLINE_SECONDS) -> Answer:
    """POST a body. Never raises for what an address may do."""
    started = time.monotonic()
    try:
        status, text = _exchange(url, headers, body, started + seconds)
    except AddressRefused as refusal:
        return Answer(problem=str(refusal), seconds=time.monotonic() - started)
    except (httpcore2.TimeoutException, TimeoutError):
        return Answer(problem=f"No answer within {seconds:.0f} seconds.", seconds=time.monotonic() - started)
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol, OSError) as error:
        return Answer(problem=_in_words(error), seconds=time.monotonic() - started)
    except (httpx2.InvalidURL, UnicodeError, ValueError):
        return Answer(problem="The address cannot be read.", seconds=time.monotonic() - started)
    return Answer(status, time.monotonic() - started, text, _problem_of(status))


def _exchange(url: str, headers: Sequence[tuple[str, str]], body: bytes, deadline: float) -> tuple[int, str]:
    """The status and the first bytes of the body; a body that is slow or breaks off does not change the status."""
    target = httpx2.URL(url)
    check_scheme(target.scheme)
    address = httpcore2.URL(
        scheme=target.raw_scheme, host=target.raw_host, port=target.port, target=target.raw_path or b"/"
    )
    limits = {"connect": deadline, "read": deadline, "write": deadline}
    own = [("Host", target.netloc.decode("ascii")), ("Content-Length", str(len(body)))]
    with (
        httpcore2.ConnectionPool(ssl_context=_trust(), max_connections=1, network_backend=CheckedBackend()) as pool,
        pool.stream(
            "POST", address, headers=[*own, *headers], content=body, extensions={"timeout": limits}
        ) as response,
    ):
        found = bytearray()
        try:
            for chunk in response.iter_stream():
                found += chunk
                if len(found) >= MAX_ANSWER_BYTES:
                    break
        except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError):
            pass
        return response.status, bytes(found[:MAX_ANSWER_BYTES]).decode("utf-8", "replace").replace("\x00", "�")


@lru_cache(maxsize=1)
def _trust() -> ssl.SSLContext:
    return httpx2.create_ssl_context()


def _problem_of(status: int) -> str:
    if 200 <= status < 300:
        return ""
    if 300 <= status < 400:
        return f"It answered with a redirect ({status}), which is not followed. Register the final address."
    return f"It answered {status} instead of a number from 200 to 299."


def _in_words(error: BaseException) -> str:
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ssl.SSLError):
            return "Its certificate is not trusted, or it does not speak TLS."
        seen = seen.__cause__ or seen.__context__
    if isinstance(error, httpcore2.ConnectError):
        return "Nobody answers at this address."
    if isinstance(error, httpcore2.ProtocolError):
        return "What came back is not HTTP, or broke off."
    return "The connection broke off before an answer came."
