"""The connection to a model behind an endpoint: keys, addresses, deadlines, and text without secrets."""

import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

import httpx2

from agents.addresses import AddressPolicy, AddressRefused, plain_url
from agents.llm import ProviderFatal, ProviderRetry
from agents.options import KEY_HEADERS, NOT_SECRET, LLMOptions
from agents.providers import faults
from agents.providers.faults import Failure
from agents.providers.learned import Learned
from agents.providers.makers import MAKERS
from agents.providers.transport import CONNECT_SECONDS, MAX_BODY_BYTES, http_client
from agents.providers.wire import parse_json

SHORTEST_KEY = 8
"""Minimum length of keys to mask. Local servers often have keys such as "none", which may be words in a reply."""


class Connection:
    """One model behind an official SDK. Threads may share it.

    wire: the wire format with which a run began and which it keeps, empty for the provider's choice
    headers: extra headers of the endpoint
    """

    def __init__(
        self,
        options: LLMOptions,
        api_key: str,
        policy: AddressPolicy | None = None,
        learned: Learned | None = None,
        wire: str = "",
        headers: tuple[tuple[str, str], ...] = (),
    ):
        self.options = options
        self.learned = learned or Learned()
        self.wire = wire
        self._maker = MAKERS[options.provider]
        self._policy = policy
        self._api_key = api_key.strip()
        self._headers = {name: value for name, value in headers if not self._api_key or name.lower() not in KEY_HEADERS}

    def call(self, method: str, path: str, *, most_bytes: int = MAX_BODY_BYTES, **content: Any) -> str:
        """Send a request that is not a query; return the text of the answer. Raises ProviderRetry or ProviderFatal.

        most_bytes: maximum size of the answer; content: arguments of the SDK, such as `body` and `files`
        """
        deadline = self._deadline()
        sdk = self._sdk if most_bytes == MAX_BODY_BYTES else self._connected(most_bytes)
        text = self._send(getattr(sdk, method), path, deadline, self.learned, **content)
        if isinstance(text, Failure):
            raise self.fault(text)
        return text

    def fault(self, failure: Failure) -> Exception:
        return faults.fault(failure, self._endpoint)

    def redacted_message(self, failure: Failure) -> str:
        """The provider's message, as one line without secrets."""
        return self._endpoint.redacted_line(failure.complaint.message)

    def unreadable(self, what: str) -> ProviderRetry:
        """The error for an unexpected answer. `what` completes the sentence "The endpoint answered with ..."."""
        return faults.unreadable(self._endpoint, what)

    def read_object(self, text: str) -> dict[str, Any]:
        try:
            data = parse_json(text)
        except ValueError:
            raise self.unreadable("text that is not JSON") from None
        if not isinstance(data, dict):
            raise self.unreadable("JSON that is not a reply")
        return data

    @property
    def base_url(self) -> str:
        return self._maker.base_url(self.options.base_url)

    @cached_property
    def _endpoint(self) -> faults.Endpoint:
        return faults.Endpoint.of(self.base_url, self.options.model, self._secrets, self.options.timeout_seconds)

    @property
    def _is_keyless(self) -> bool:
        """Whether requests are authenticated by other headers than Authorization."""
        names = {name.lower() for name in self._headers}
        return bool(names) and not self._api_key and "authorization" not in names

    @cached_property
    def _secrets(self) -> tuple[str, ...]:
        """The key, and header values that may be keys, with and without a leading word such as Bearer."""
        values = (value for name, value in self._headers.items() if name.lower() not in NOT_SECRET)
        secrets = {part for value in values for part in (value, value.split()[-1]) if len(part) >= SHORTEST_KEY}
        return (self._api_key, *sorted(secrets, key=len, reverse=True))

    @cached_property
    def _sdk(self) -> Any:
        return self._connected(MAX_BODY_BYTES)

    def _connected(self, most_bytes: int) -> Any:
        if not self._api_key and not self.options.base_url.strip():
            raise ProviderFatal("key", "No key is set for the provider.")
        if not self._api_key.isascii() or not self._api_key.isprintable():
            raise ProviderFatal("key", "The key holds characters that no key has.")
        try:
            plain_url(self.base_url)
        except AddressRefused as refusal:
            raise ProviderFatal("address", f"The endpoint is not called: {refusal}") from None
        http = http_client(self._endpoint.origin, self._policy, most_bytes)
        return self._maker.sdk(self._api_key, self.base_url, http, self._headers, is_own=not self.options.base_url)

    def _deadline(self) -> float:
        """The deadline of a query that begins now. The time for the first import of the SDK does not count."""
        _ = self._endpoint, self._sdk
        return time.monotonic() + self.options.timeout_seconds

    def _send(
        self, send: Callable[..., httpx2.Response], path: str, deadline: float, learned: Learned, **content: Any
    ) -> str | Failure:
        """Send a request; return the body of the answer as text, or the failure. `send`: a method of the SDK."""
        seconds_left = max(deadline - time.monotonic(), 0.001)
        options = {
            "timeout": httpx2.Timeout(seconds_left, connect=min(seconds_left, CONNECT_SECONDS)),
            "headers": self._maker.headers(learned, is_keyless=self._is_keyless) | content.pop("headers", {}),
        }
        try:
            answer = send(path, cast_to=httpx2.Response, options=options, **content)
        except self._maker.errors() as error:
            return Failure.of(error)
        # Mask secrets, because replies are stored, shown and exported.
        return self._endpoint.masked(answer.content.decode("utf-8", "replace"), SHORTEST_KEY)
