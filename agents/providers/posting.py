"""Sends one POST request over a new connection and reads the beginning of the answer."""

from __future__ import annotations

import ssl
import time
from collections.abc import Sequence
from contextlib import suppress

import httpcore2
import httpx2

from agents.addresses import AddressPolicy
from agents.providers.connections import AddressNotAllowed, TimedLookUps, trust


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
    """Status and first bytes of the answer. Raises PostFailed.

    No redirects, proxy or decoding; one deadline from the DNS lookup to the last byte. If the body is slow or breaks off,
    the status still counts.
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
        httpcore2.ConnectionPool(ssl_context=trust(), max_connections=1, network_backend=backend) as pool,
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
