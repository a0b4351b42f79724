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
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpcore2
import httpx2

from agents.addresses import AddressPolicy, AddressRefused

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
        addresses = _dialled(self._policy, host, port)
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

    def connect_unix_socket(self, *args: Any, **options: Any) -> httpcore2.NetworkStream:
        """An endpoint is a web server; sockets of this machine are no endpoints."""
        raise AddressNotAllowed("An endpoint cannot be a socket of this machine.")


def _dialled(policy: AddressPolicy | None, host: str, port: int) -> list[str]:
    """What to connect to: the host itself without a policy, else its addresses, looked up once and all allowed."""
    if policy is None:
        return [host]
    try:
        return policy.addresses(host, port)
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


if hasattr(os, "register_at_fork"):
    # Two processes must not talk over one socket.
    os.register_at_fork(after_in_child=http_client.cache_clear)
