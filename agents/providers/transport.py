"""The HTTP client under the SDKs: one deadline for a whole query, limited bodies, no redirects, kept connections.

Timeouts of HTTP libraries apply to each read, so an endpoint that sends a byte a second could block a worker for ever. HTTP
libraries also decode compressed bodies without a limit. This module limits both.
"""

import os
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from functools import lru_cache
from ipaddress import ip_address, ip_network
from urllib.request import getproxies, proxy_bypass

import httpcore2
import httpx2

from agents.addresses import AddressPolicy
from agents.providers.connections import AddressNotAllowed, DeadlineBackend, addresses_to_dial, trust

MAX_BODY_BYTES = 2 * 1024 * 1024
CONNECT_SECONDS = 15.0

LIMITS = httpx2.Limits(max_connections=2, max_keepalive_connections=1, keepalive_expiry=30.0)
# A model may think for minutes without sending a byte, and routers drop idle connections.
KEEPALIVE = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]

# The first three describe the encoded body, which is decoded here. The content type may name a charset that is a
# decompressor. Cookies would be shared by all users of an endpoint.
DROPPED_HEADERS = {b"content-encoding", b"transfer-encoding", b"content-length", b"content-type", b"set-cookie"}


class BodyTooLarge(httpx2.TransportError):
    """The decoded body is too large. The message gives the limit, such as "more than 2 MB"."""


class BoundedTransport(httpx2.BaseTransport):
    """Applies the read timeout of a request to the whole exchange, including the body.

    Each thread has its own connections, because a pool searches all its connections at every request.

    The site's operator chose the proxy, so its address is not checked. The host behind the proxy is looked up and checked
    first; a name that only the proxy can look up is left to the proxy.
    """

    def __init__(self, proxy: str | None = None, policy: AddressPolicy | None = None, most_bytes: int = MAX_BODY_BYTES):
        self._proxy = proxy
        self._policy = policy
        self._most_bytes = most_bytes
        self._own = threading.local()

    @property
    def _connections(self) -> httpx2.HTTPTransport:
        if not hasattr(self._own, "transport"):
            transport = httpx2.HTTPTransport(verify=trust(), limits=LIMITS, proxy=self._proxy, socket_options=KEEPALIVE)
            # The transport has no argument for the network backend, so set it on its pool.
            transport._pool._network_backend = DeadlineBackend(None if self._proxy else self._policy)
            self._own.transport = transport
        connections: httpx2.HTTPTransport = self._own.transport
        return connections

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if self._proxy:
            port = request.url.port or (443 if request.url.scheme == "https" else 80)
            with suppress(httpcore2.ConnectError):
                addresses_to_dial(self._policy, request.url.host, port)
        limits = request.extensions.get("timeout", {})
        seconds = limits.get("read")
        if seconds is not None:
            now = time.monotonic()
            end = now + seconds
            deadlines = {"connect": min(end, now + CONNECT_SECONDS), "read": end, "write": end}
            request.extensions = {**request.extensions, "timeout": deadlines | {"pool": limits.get("pool")}}
        response = self._connections.handle_request(request)
        assert isinstance(response.stream, httpx2.SyncByteStream)
        with closing(response.stream):
            body = read_body(response.stream, response.headers.get("content-encoding", ""), self._most_bytes)
        headers = [(name, value) for name, value in response.headers.raw if name.lower() not in DROPPED_HEADERS]
        return httpx2.Response(response.status_code, headers=headers, content=body, extensions=response.extensions)


def read_body(chunks: Iterable[bytes], encoding: str, most_bytes: int = MAX_BODY_BYTES) -> bytes:
    """Read and decode a body. Raises BodyTooLarge or DecodingError."""
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
            body += decoder.decompress(chunk, most_bytes + 1 - len(body)) if decoder else chunk
        except zlib.error as error:
            raise httpx2.DecodingError("The compressed body is broken.") from error
        if len(body) > most_bytes:
            raise BodyTooLarge(f"more than {most_bytes // 2**20} MB")
    if decoder and not decoder.eof and body:
        raise httpx2.DecodingError("The compressed body is cut short.")
    return bytes(body)


def is_direct(host: str) -> bool:
    """Whether NO_PROXY includes a host. Networks such as 10.0.0.0/8 count too, which urllib does not support."""
    if proxy_bypass(host):
        return True
    networks = []
    for entry in getproxies().get("no", "").split(","):
        with suppress(ValueError):
            networks.append(ip_network(entry.strip(), strict=False))
    with suppress(ValueError):
        address = ip_address(host.strip("[]"))
        return any(address in network for network in networks)
    return False


@lru_cache(maxsize=256)
def http_client(base_url: str, policy: AddressPolicy | None = None, most_bytes: int = MAX_BODY_BYTES) -> httpx2.Client:
    """The client of this process for an endpoint. It connects only to addresses that `policy` allows."""
    url = httpx2.URL(base_url)
    proxy = None if is_direct(url.host) else getproxies().get(url.scheme)
    return httpx2.Client(
        transport=BoundedTransport(proxy, policy, most_bytes),
        headers={"accept-encoding": "identity"},
        follow_redirects=False,
    )


if hasattr(os, "register_at_fork"):
    # Two processes must not share a socket.
    os.register_at_fork(after_in_child=http_client.cache_clear)


class PostFailed(Exception):
    """The request got no answer. The message is one sentence."""


def post_once(
    url: str,
    headers: Sequence[tuple[str, str]],
    body: bytes,
    *,
    seconds: float,
    most_bytes: int,
    policy: AddressPolicy | None = None,
) -> tuple[int, bytes]:
    """Send a POST request; return the status and the first bytes of the answer. Raises PostFailed.

    There are no redirects, proxy or decoding, and one deadline from the DNS lookup to the last byte. If the body is slow or
    incomplete, the status still counts.
    """
    deadline = time.monotonic() + seconds
    backend = DeadlineBackend(policy, timed_look_ups=True)
    extensions = {"timeout": {"connect": deadline, "read": deadline, "write": deadline}}
    received = bytearray()
    try:
        to = httpx2.URL(url)
        target = httpcore2.URL(scheme=to.raw_scheme, host=to.raw_host, port=to.port, target=to.raw_path or b"/")
        sent = [("Host", to.netloc.decode("ascii")), ("Content-Length", str(len(body))), *headers]
        with (
            httpcore2.ConnectionPool(ssl_context=trust(), max_connections=1, network_backend=backend) as pool,
            pool.stream("POST", target, headers=sent, content=body, extensions=extensions) as response,
        ):
            with suppress(httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError):
                for chunk in response.iter_stream():
                    received += chunk
                    if len(received) >= most_bytes:
                        break
            return response.status, bytes(received[:most_bytes])
    except AddressNotAllowed as refusal:
        raise PostFailed(str(refusal)) from None
    except (httpcore2.TimeoutException, TimeoutError):
        raise PostFailed(f"No answer within {seconds:.0f} seconds.") from None
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol, OSError) as error:
        raise PostFailed(_failure_sentence(error)) from None
    except (httpx2.InvalidURL, ValueError):
        raise PostFailed("The address cannot be read.") from None


def _failure_sentence(error: BaseException) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return "Its certificate is not trusted, or it does not speak TLS."
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpcore2.ConnectError):
        return "Nobody answers at this address."
    if isinstance(error, httpcore2.ProtocolError):
        return "What came back is not HTTP, or broke off."
    return "The connection broke off before an answer came."
