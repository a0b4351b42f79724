"""Sends one POST request over a new connection and reads the beginning of the answer."""

import ssl
import time
from collections.abc import Sequence
from contextlib import suppress

import httpcore2
import httpx2

from agents.addresses import AddressPolicy
from agents.providers.connections import AddressNotAllowed, DeadlineBackend, trust


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
