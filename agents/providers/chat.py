"""Base class of providers: sending, timeouts, and dropping parameters that a provider refuses."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import httpx2

from agents.addresses import AddressPolicy, AddressRefused, plain_url
from agents.errors import ProviderFatal
from agents.llm import Reply, Request
from agents.options import LLMOptions
from agents.providers import faults
from agents.providers.transport import CONNECT_SECONDS, http_client
from agents.providers.wire import complaint_of, parse_json

NO_KEY = "none"
"""Sent to endpoints without a key, because the SDKs require one."""

SHORTEST_KEY = 8
"""Shorter keys are not masked: local servers often have keys such as "none", which may be words of a reply."""


class ChatAPI(ABC):
    """One model behind an official SDK. Threads may share it.

    The parameters that a model accepts are not known beforehand. If the provider refuses a parameter by name, the query
    is sent again at once without it, and later queries of this object leave it out.
    """

    own_url: ClassVar[str]
    path: ClassVar[str]

    errors: tuple[type[Exception], ...] = ()
    """Base error of the SDK, known after its import."""

    def __init__(self, options: LLMOptions, api_key: str, policy: AddressPolicy | None = None):
        self.options = options
        self._policy = policy
        self._api_key = api_key.strip()
        self._refused: set[str] = set()

    def query(self, request: Request) -> Reply:
        """The model's reply. Raises ProviderRetry or ProviderFatal. Retries only refused parameters."""
        text = self._ask(request)
        try:
            data = parse_json(text)
        except ValueError:
            raise faults.unreadable(self._endpoint, "text that is not JSON") from None
        if not isinstance(data, dict):
            raise faults.unreadable(self._endpoint, "JSON that is not a reply")
        if data.get("error") or data.get("type") == "error":
            raise faults.unreadable(self._endpoint, "an error instead of a reply", complaint_of(text).message)
        return self.read(data, request)

    @abstractmethod
    def body(self, request: Request) -> dict[str, Any]:
        """The request in the provider's wire format."""

    @abstractmethod
    def read(self, data: dict[str, Any], request: Request) -> Reply:
        """The reply from the body of an answer. Raises ProviderRetry if the body does not hold a reply."""

    @abstractmethod
    def sdk(self, *, api_key: str, base_url: str, http: httpx2.Client) -> Any:
        """A client of the official SDK that never retries by itself."""

    @abstractmethod
    def adapt(self, body: dict[str, Any], failure: faults.Failure) -> bool:
        """Learn from the refusal of `body`. True if the next body may be accepted."""

    def drop_refused(self, sent: tuple[str, ...], failure: faults.Failure) -> bool:
        """Drop the first parameter of `sent` that the failure names. False if it names none.

        Extra parameters stay: who wrote them should learn that they are refused.
        """
        own = (name for name in sent if name not in self.options.extra_parameters)
        named = list(filter(failure.names, own))[:1]
        self._refused.update(named)
        return bool(named)

    def takes(self, parameter: str) -> bool:
        return parameter not in self._refused

    @property
    def refused(self) -> list[str]:
        """Parameters that the provider refused so far, and that queries leave out."""
        return sorted(self._refused)

    def temperature(self) -> dict[str, Any]:
        """The temperature as a parameter of the request; empty if none is set or the model reasons."""
        sent = self.options.temperature is not None and not self.options.reasoning
        return {"temperature": self.options.temperature} if sent else {}

    def model_in(self, data: dict[str, Any]) -> str:
        """The model id that the answer names, or else the requested one."""
        model = data.get("model")
        return model if isinstance(model, str) and model else self.options.model

    @property
    def base_url(self) -> str:
        return self.options.base_url.strip() or self.own_url

    @cached_property
    def _endpoint(self) -> faults.Endpoint:
        return faults.Endpoint.of(self.base_url, self.options.model, self._api_key, self.options.timeout_seconds)

    @cached_property
    def _client(self) -> Any:
        if not self._api_key and not self.options.base_url.strip():
            raise ProviderFatal("key", "No key is set for the provider.")
        if not self._api_key.isascii() or not self._api_key.isprintable():
            raise ProviderFatal("key", "The key holds characters that no key has.")
        if self._policy is not None:
            try:
                plain_url(self.base_url)
            except AddressRefused as refusal:
                raise ProviderFatal("address", f"The endpoint is not called: {refusal}") from None
        http = http_client(self._endpoint.origin, self._policy)
        return self.sdk(api_key=self._api_key or NO_KEY, base_url=self.base_url, http=http)

    def _ask(self, request: Request) -> str:
        """The body of the provider's answer to a request, as text."""
        return self.post(lambda: self.options.extra_parameters | self.body(request))

    def post(self, made: Callable[[], dict[str, Any]]) -> str:
        """The body of the provider's answer, as text. `made` makes the request without refused parameters."""
        endpoint, client = self._endpoint, self._client
        # Started after `_client`, whose first use imports the SDK.
        end = time.monotonic() + self.options.timeout_seconds
        while True:
            body = made()
            left = max(end - time.monotonic(), 0.001)
            timeout = httpx2.Timeout(left, connect=min(left, CONNECT_SECONDS))
            try:
                answer: httpx2.Response = client.post(
                    self.path, body=body, cast_to=httpx2.Response, options={"timeout": timeout}
                )
                text = answer.content.decode("utf-8", "replace")
                # Replies are stored, shown and exported.
                return text.replace(self._api_key, "[key]") if len(self._api_key) >= SHORTEST_KEY else text
            except self.errors as error:
                failure = faults.Failure.of(error)
            # Outside the handler: the SDK's error may quote the key and must not be chained to ours.
            if not self.adapt(body, failure):
                raise faults.fault(failure, endpoint)
