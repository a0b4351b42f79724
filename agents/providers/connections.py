"""Network connections with deadlines, only to addresses that a policy allows."""

import ssl
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from functools import lru_cache
from typing import Any

import httpcore2
import httpx2

from agents.addresses import AddressPolicy, AddressRefused, Resolver, look_up

WRITE_PIECE_BYTES = 64 * 1024


class AddressNotAllowed(httpx2.TransportError):
    """The address of the host is not allowed. Nothing was sent. The message is one sentence."""


class DeadlineStream(httpcore2.NetworkStream):
    """A connection whose `timeout` arguments are points on the monotonic clock instead of durations.

    Only when a connection is used again is it checked whether the server has closed it. The pool would check all idle
    connections at every request, which is expensive with hundreds of them.

    Written data is sent when the answer is read, so that head and body of a request share a packet.
    """

    def __init__(self, stream: httpcore2.NetworkStream):
        self._stream = stream
        self._was_idle = False
        self._unsent = b""

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._was_idle = True
        # A server may answer and close the connection before it has read everything.
        with suppress(httpcore2.WriteError):
            self._send(timeout)
        return self._stream.read(max_bytes, _seconds_left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if self._was_idle:
            self._was_idle = False
            if self._stream.get_extra_info("is_readable"):
                raise httpcore2.ConnectionNotAvailable  # the pool then takes another connection
        self._unsent += buffer
        if len(self._unsent) >= WRITE_PIECE_BYTES:
            self._send(timeout)

    def _send(self, timeout: float | None) -> None:
        buffer, self._unsent = self._unsent, b""
        for start in range(0, len(buffer), WRITE_PIECE_BYTES):
            self._stream.write(
                buffer[start : start + WRITE_PIECE_BYTES], _seconds_left(timeout, httpcore2.WriteTimeout)
            )

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return DeadlineStream(
            self._stream.start_tls(ssl_context, server_hostname, _seconds_left(timeout, httpcore2.ConnectTimeout))
        )

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return False if info == "is_readable" else self._stream.get_extra_info(info)


class DeadlineBackend(httpcore2.SyncBackend):
    """Opens connections with deadlines; with a policy, only to the addresses that it allows.

    timed_look_ups: whether the deadline includes DNS lookups; they then run in a thread, because the system's resolver has
        no timeout
    """

    def __init__(self, policy: AddressPolicy | None = None, *, timed_look_ups: bool = False):
        self._policy = policy
        self._timed = timed_look_ups

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *args: Any, **options: Any
    ) -> httpcore2.NetworkStream:
        addresses = (
            self._timed_lookup(host, port, timeout) if self._timed else addresses_to_dial(self._policy, host, port)
        )
        failure: Exception = httpcore2.ConnectError("There is no address to try.")
        for index, address in enumerate(addresses):
            left = _seconds_left(timeout, httpcore2.ConnectTimeout)
            # Share the remaining time with the other addresses, in case this one does not answer.
            share = None if left is None else left / (len(addresses) - index)
            try:
                return DeadlineStream(super().connect_tcp(address, port, share, *args, **options))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure

    def connect_unix_socket(self, *args: Any, **options: Any) -> httpcore2.NetworkStream:
        """Refuse to connect: an endpoint is a web server, not a local socket."""
        raise AddressNotAllowed("An endpoint cannot be a socket of this machine.")

    def _timed_lookup(self, host: str, port: int, deadline: float | None) -> list[str]:
        lookup: Future[list[str]] = Future()

        def ask() -> None:
            try:
                lookup.set_result(_looked_up(self._policy.addresses if self._policy else look_up, host, port))
            except Exception as error:
                lookup.set_exception(error)

        left = _seconds_left(deadline, httpcore2.ConnectTimeout)
        threading.Thread(target=ask, name="look-up", daemon=True).start()
        try:
            return lookup.result(left)
        except TimeoutError:
            raise httpcore2.ConnectTimeout("The look-up took too long.") from None


def addresses_to_dial(policy: AddressPolicy | None, host: str, port: int) -> list[str]:
    """The addresses to connect to: with a policy the host's allowed addresses, looked up once; else the host itself."""
    return [host] if policy is None else _looked_up(policy.addresses, host, port)


def _looked_up(resolve: Resolver, host: str, port: int) -> list[str]:
    try:
        return resolve(host, port)
    except AddressRefused as refusal:
        raise AddressNotAllowed(str(refusal)) from None
    except OSError as error:
        raise httpcore2.ConnectError(str(error)) from None


@lru_cache(maxsize=1)
def trust() -> ssl.SSLContext:
    """The trusted certificates. Cached, because reading them takes tens of milliseconds and megabytes."""
    return httpx2.create_ssl_context()


def _seconds_left(deadline: float | None, error: type[Exception]) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise error("The deadline has passed.")
    return left
