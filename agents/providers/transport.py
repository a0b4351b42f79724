"""The HTTP client under the SDKs: one deadline for a whole query, capped bodies, no redirects, kept connections.

The time-outs of HTTP libraries bound each read, so an endpoint that sends a byte a second would hold a worker for ever;
and they decode compressed bodies without a limit. Both are bounded here, below the SDKs.
"""

from __future__ import annotations

import os
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import lru_cache
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpcore2
import httpx2

from agents.addresses import AddressPolicy, AddressRefused, Resolver, look_up

MAX_BODY_BYTES = 2 * 1024 * 1024
CONNECT_SECONDS = 15.0
WRITE_PIECE_BYTES = 64 * 1024

LIMITS = httpx2.Limits(max_connections=2, max_keepalive_connections=1, keepalive_expiry=30.0)
# A model may think for minutes without a byte; routers forget silent connections.
KEEPALIVE = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]

# The first three are about the body as it travelled. The type may name a charset that is a decompressor. Cookies would
# be shared by the users of one endpoint.
DROPPED_HEADERS = {b"content-encoding", b"transfer-encoding", b"content-length", b"content-type", b"set-cookie"}


class BodyTooLarge(httpx2.TransportError):
    """The decoded body is larger than MAX_BODY_BYTES."""


class AddressNotAllowed(httpx2.TransportError):
    """The host is at an address that must not be reached; nothing was sent. The text is a plain sentence."""


class PostFailed(Exception):
    """No answer came to a single message; the text is a plain sentence."""


class DeadlineStream(httpcore2.NetworkStream):
    """A connection whose `timeout` arguments are points on the monotonic clock instead of durations.

    Whether the server closed it meanwhile is looked up when it is used again. The pool would ask that of all its idle
    connections at every request, which with hundreds of them costs more than the requests.
    """

    def __init__(self, stream: httpcore2.NetworkStream):
        self._stream = stream
        self._was_idle = False

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._was_idle = True
        return self._stream.read(max_bytes, _left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if self._was_idle:
            self._was_idle = False
            if self._stream.get_extra_info("is_readable"):
                raise httpcore2.ConnectionNotAvailable  # the pool then takes another connection
        for start in range(0, len(buffer), WRITE_PIECE_BYTES):
            piece = buffer[start : start + WRITE_PIECE_BYTES]
            self._stream.write(piece, _left(timeout, httpcore2.WriteTimeout))

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left = _left(timeout, httpcore2.ConnectTimeout)
        return DeadlineStream(self._stream.start_tls(ssl_context, server_hostname, left))

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return False if info == "is_readable" else self._stream.get_extra_info(info)


class DeadlineBackend(httpcore2.SyncBackend):
    """Opens connections that take deadlines, to no address but those that a policy allows, if there is one."""

    def __init__(self, policy: AddressPolicy | None = None):
        self._policy = policy

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        addresses = self._addresses(host, port, timeout)
        failure: Exception = httpcore2.ConnectError("There is no address to try.")
        for place, address in enumerate(addresses):
            left = _left(timeout, httpcore2.ConnectTimeout)
            # One address that swallows packets leaves time for the others.
            share = None if left is None else left / (len(addresses) - place)
            try:
                return DeadlineStream(super().connect_tcp(address, port, share, local_address, socket_options))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure

    def _addresses(self, host: str, port: int, deadline: float | None) -> list[str]:
        return _dialled(self._policy, host, port)

    def connect_unix_socket(self, *args: Any, **options: Any) -> httpcore2.NetworkStream:
        """An endpoint is a web server; sockets of this machine are no endpoints."""
        raise AddressNotAllowed("An endpoint cannot be a socket of this machine.")


class TimedLookUps(DeadlineBackend):
    """Looks names up within the deadline too: the system's resolver takes none, so a thread waits for it."""

    def _addresses(self, host: str, port: int, deadline: float | None) -> list[str]:
        found: Future[list[str]] = Future()

        def ask() -> None:
            try:
                found.set_result(_looked_up(self._policy.addresses if self._policy else look_up, host, port))
            except Exception as error:
                found.set_exception(error)

        left = _left(deadline, httpcore2.ConnectTimeout)
        threading.Thread(target=ask, name="look-up", daemon=True).start()
        try:
            return found.result(left)
        except TimeoutError:
            raise httpcore2.ConnectTimeout("The look-up took too long.") from None


def _dialled(policy: AddressPolicy | None, host: str, port: int) -> list[str]:
    """What to connect to: the host itself without a policy, else its addresses, looked up once and all allowed."""
    return [host] if policy is None else _looked_up(policy.addresses, host, port)


def _looked_up(resolve: Resolver, host: str, port: int) -> list[str]:
    try:
        return resolve(host, port)
    except AddressRefused as refusal:
        raise AddressNotAllowed(str(refusal)) from None
    except OSError as error:
        raise httpcore2.ConnectError(str(error)) from None


@lru_cache(maxsize=1)
def _trust() -> ssl.SSLContext:
    """The certificates to trust, read once: that takes tens of milliseconds and megabytes."""
    return httpx2.create_ssl_context()


def _left(deadline: float | None, error: type[Exception]) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise error("The deadline has passed.")
    return left


class BoundedTransport(httpx2.BaseTransport):
    """Takes a request's read time-out as the limit of the whole exchange, and reads its body within it.

    Each thread has connections of its own: a pool looks through all of its connections at every request.

    A proxy is what whoever runs the site chose, so its own address is not judged; the host behind it is looked up here
    and judged before the proxy hears of it. A name that only the proxy can look up is left to the proxy.
    """

    def __init__(self, proxy: str | None = None, policy: AddressPolicy | None = None):
        self._proxy = proxy
        self._policy = policy
        self._own = threading.local()

    @property
    def _connections(self) -> httpx2.HTTPTransport:
        if not hasattr(self._own, "transport"):
            transport = httpx2.HTTPTransport(
                verify=_trust(), limits=LIMITS, proxy=self._proxy, socket_options=KEEPALIVE
            )
            # The transport has no argument for it, though the pool below has.
            transport._pool._network_backend = DeadlineBackend(None if self._proxy else self._policy)
            self._own.transport = transport
        connections: httpx2.HTTPTransport = self._own.transport
        return connections

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if self._proxy:
            port = request.url.port or (443 if request.url.scheme == "https" else 80)
            with suppress(httpcore2.ConnectError):
                _dialled(self._policy, request.url.host, port)
        limits = request.extensions.get("timeout", {})
        seconds = limits.get("read")
        if seconds is not None:
            now = time.monotonic()
            end = now + seconds
            first = min(end, now + CONNECT_SECONDS)
            deadlines = {"connect": first, "read": end, "write": end, "pool": limits.get("pool")}
            request.extensions = {**request.extensions, "timeout": deadlines}
        response = self._connections.handle_request(request)
        assert isinstance(response.stream, httpx2.SyncByteStream)
        try:
            body = read_body(response.stream, response.headers.get("content-encoding", ""))
        finally:
            response.stream.close()
        headers = [(name, value) for name, value in response.headers.raw if name.lower() not in DROPPED_HEADERS]
        return httpx2.Response(response.status_code, headers=headers, content=body, extensions=response.extensions)


def read_body(chunks: Iterable[bytes], encoding: str) -> bytes:
    """The decoded body. Raises BodyTooLarge past the cap, DecodingError where it cannot be decoded."""
    match encoding.strip().lower():
        case "" | "identity":
            decoder = None
        case "gzip" | "x-gzip" | "deflate":
            decoder = zlib.decompressobj(zlib.MAX_WBITS | 32)
        case _:
            raise httpx2.DecodingError("The body is encoded in a way that was not asked for.")
    body = bytearray()
    for chunk in chunks:
        try:
            body += decoder.decompress(chunk, MAX_BODY_BYTES + 1 - len(body)) if decoder else chunk
        except zlib.error as error:
            raise httpx2.DecodingError("The compressed body is broken.") from error
        if len(body) > MAX_BODY_BYTES:
            raise BodyTooLarge("The body is too large.")
    if decoder and not decoder.eof and body:
        raise httpx2.DecodingError("The compressed body is cut short.")
    return bytes(body)


@lru_cache(maxsize=256)
def http_client(base_url: str, policy: AddressPolicy | None = None) -> httpx2.Client:
    """This process's one client for an endpoint, which connects only where `policy` allows. Threads may share it."""
    url = httpx2.URL(base_url)
    proxy = None if proxy_bypass(url.host) else getproxies().get(url.scheme)
    return httpx2.Client(
        transport=BoundedTransport(proxy, policy), headers={"accept-encoding": "identity"}, follow_redirects=False
    )


def post_once(
    url: str,
    headers: Sequence[tuple[str, str]],
    body: bytes,
    *,
    seconds: float,
    most_bytes: int,
    policy: AddressPolicy | None = None,
) -> tuple[int, bytes]:
    """The status and the first bytes of the answer to one message, over a connection of its own. Raises PostFailed.

    No redirects, no proxy, no decoding, and a single deadline from the look-up to the last byte. A body that is slow
    or breaks off does not change the status.
    """
    try:
        return _posted(httpx2.URL(url), headers, body, time.monotonic() + seconds, most_bytes, policy)
    except AddressNotAllowed as refusal:
        raise PostFailed(str(refusal)) from None
    except (httpcore2.TimeoutException, TimeoutError):
        raise PostFailed(f"No answer within {seconds:.0f} seconds.") from None
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol, OSError) as error:
        raise PostFailed(_in_words(error)) from None
    except (httpx2.InvalidURL, ValueError):
        raise PostFailed("The address cannot be read.") from None


def _posted(
    url: httpx2.URL,
    headers: Sequence[tuple[str, str]],
    body: bytes,
    deadline: float,
    most_bytes: int,
    policy: AddressPolicy | None,
) -> tuple[int, bytes]:
    target = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path or b"/")
    limits = {"connect": deadline, "read": deadline, "write": deadline}
    own = [("Host", url.netloc.decode("ascii")), ("Content-Length", str(len(body)))]
    backend = TimedLookUps(policy)
    with (
        httpcore2.ConnectionPool(ssl_context=_trust(), max_connections=1, network_backend=backend) as pool,
        pool.stream("POST", target, headers=[*own, *headers], content=body, extensions={"timeout": limits}) as response,
    ):
        found = bytearray()
        with suppress(httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError):
            for chunk in response.iter_stream():
                found += chunk
                if len(found) >= most_bytes:
                    break
        return response.status, bytes(found[:most_bytes])


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


if hasattr(os, "register_at_fork"):
    # Two processes must not talk over one socket.
    os.register_at_fork(after_in_child=http_client.cache_clear)
