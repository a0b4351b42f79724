"""One POST request to one address, over the transport that checks every address that it connects to."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from accounts.addresses import address_policy
from agents.providers.transport import PostFailed, post_once
from workspace.webhooks.addresses import NOT_HTTPS, is_safe_scheme

DEADLINE_SECONDS = 10.0
MAX_ANSWER_BYTES = 4096


@dataclass(frozen=True)
class Answer:
    """The response; `status` is None without one. `problem` is a sentence, empty if the message was accepted."""

    status: int | None = None
    seconds: float = 0.0
    text: str = ""
    problem: str = ""

    @property
    def ok(self) -> bool:
        return not self.problem


def send(url: str, headers: Sequence[tuple[str, str]], body: bytes, *, seconds: float = DEADLINE_SECONDS) -> Answer:
    """POST a body. Failures of the address do not raise; they are in the Answer."""
    if not is_safe_scheme(url):
        return Answer(problem=NOT_HTTPS)
    started = time.monotonic()
    try:
        status, answer_body = post_once(
            url, headers, body, seconds=seconds, most_bytes=MAX_ANSWER_BYTES, policy=address_policy()
        )
    except PostFailed as failure:
        return Answer(problem=str(failure), seconds=time.monotonic() - started)
    text = answer_body.decode("utf-8", "replace").replace("\x00", "\ufffd")
    problem = ""
    if 300 <= status < 400:
        problem = f"It answered with a redirect ({status}), which is not followed. Register the final address."
    elif not 200 <= status < 300:
        problem = f"It answered {status} instead of a number from 200 to 299."
    return Answer(status, time.monotonic() - started, text, problem)
