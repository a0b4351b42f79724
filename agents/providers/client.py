"""A model behind an endpoint: sending, deadlines, and learning what the provider takes."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import httpx2

from agents.addresses import AddressPolicy, AddressRefused, plain_url
from agents.errors import ProviderFatal, ProviderRetry
from agents.learned import Learned
from agents.llm import Reply, Request, Sent
from agents.options import OWN_PARAMETERS, LLMOptions
from agents.providers import faults
from agents.providers.faults import Failure
from agents.providers.makers import MAKERS
from agents.providers.refusals import lesson, refused_generation, refuses_thinking
from agents.providers.transport import CONNECT_SECONDS, MAX_BODY_BYTES, http_client
from agents.providers.wire import parse_json
from agents.providers.wire_format import Plan, WireFormat
from agents.sizes import bounded

SHORTEST_KEY = 8
"""Shorter keys are not masked: local servers often have keys such as "none", which may be words of a reply."""

MOST_LESSONS = 12
"""Refusals of one query that may teach something. Each part is refused once, so this only ends a server's game."""


@dataclass(frozen=True)
class Asked:
    """A request as it is sent. body: without the extra parameters of the agent"""

    plan: Plan
    wire: WireFormat
    body: dict[str, Any]
    sent: Sent


class Client:
    """One model behind an official SDK. Threads may share it.

    What a model takes is not known beforehand. A query that is refused because of a part of it is sent again at once
    without that part or with another, and later queries begin with what was `learned`.

    wire: the wire format that a run began with and keeps, empty for the provider's choice
    """

    def __init__(
        self,
        options: LLMOptions,
        api_key: str,
        policy: AddressPolicy | None = None,
        learned: Learned | None = None,
        wire: str = "",
    ):
        self.options = options
        self.learned = learned or Learned()
        self.wire = wire
        self._maker = MAKERS[options.provider]
        self._policy = policy
        self._api_key = api_key.strip()

    def query(self, request: Request) -> Reply:
        """The model's reply. Raises ProviderRetry or ProviderFatal. Sends again only what was refused."""
        end = self._end()
        plan = Plan(request, self.options, self.learned)
        for _ in range(MOST_LESSONS):
            asked = self._asked(plan)
            answer = self._answer(asked, end)
            if not isinstance(answer, Failure):
                return self._reply(asked, answer)
            failure = answer
            if fault := refused_generation(failure):
                told = self._endpoint.told(fault)
                return Reply(stop="invalid", model=self.options.model, fault=told, sent=asked.sent)
            if (
                refuses_thinking(failure)
                and not plan.without_thinking
                and any(turn.reply.blocks for turn in request.turns)
            ):
                plan = replace(plan, without_thinking=True)
                continue
            learned = self._lesson(asked, failure)
            if learned is None:
                break
            plan = replace(plan, learned=learned)
        raise faults.fault(failure, self._endpoint)

    def asked(self, request: Request, learned: Learned) -> Asked:
        """A request of a batch that is sent as was `learned` when the batch began."""
        return self._asked(Plan(request, self.options, learned))

    def reply(self, asked: Asked, answer: dict[str, Any] | Failure) -> Reply:
        """The reply in the answer to a line of a batch. Raises ProviderRetry or ProviderFatal.

        A refusal from which the client learned is a ProviderRetry.
        """
        failure = answer if isinstance(answer, Failure) else Failure.within(answer, asked.wire.usage(answer))
        if failure is None:
            assert isinstance(answer, dict)
            return self._reply(asked, answer)
        fault = faults.fault(failure, self._endpoint)
        learned = self._lesson(asked, failure) if isinstance(fault, ProviderFatal) else None
        if learned is None:
            raise fault
        self.learned = learned
        raise ProviderRetry(str(fault), may_be_billed=False)

    def call(self, method: str, path: str, *, most_bytes: int = MAX_BODY_BYTES, **content: Any) -> str:
        """The text of the answer to another request than a query. Raises ProviderRetry or ProviderFatal.

        most_bytes: of the answer; content: as the SDK takes it, such as `body` and `files`
        """
        end = self._end()
        sdk = self._sdk if most_bytes == MAX_BODY_BYTES else self._connected(most_bytes)
        text = self._request(getattr(sdk, method), path, end, self.learned, **content)
        if isinstance(text, Failure):
            raise faults.fault(text, self._endpoint)
        return text

    def unreadable(self, what: str) -> ProviderRetry:
        """The error for an answer that is not what was asked for. `what` completes "The endpoint answered with ..."."""
        return faults.unreadable(self._endpoint, what)

    def _asked(self, plan: Plan) -> Asked:
        wire = self.format_of(plan.learned)
        return Asked(plan, wire, *wire.body(plan))

    def _reply(self, asked: Asked, answer: dict[str, Any]) -> Reply:
        request, sent = asked.plan.request, asked.sent
        reply = asked.wire.read(answer, request)
        if reply is None:
            raise self.unreadable("a body that holds no reply")
        self.learned = _seen(asked.plan, reply)
        usage = bounded(reply, request, sent.max_tokens)
        return replace(reply, model=reply.model or self.options.model, usage=usage, sent=sent)

    def _lesson(self, asked: Asked, failure: Failure) -> Learned | None:
        """What to send next, None if the refusal teaches nothing. Raises ProviderFatal if a person has to choose."""
        learned = lesson(failure, asked.plan, asked.wire, asked.body)
        # A run ends in the wire format it began with.
        changes_wire = learned is not None and learned.wire != asked.plan.learned.wire
        return None if changes_wire and self.wire else learned

    def _answer(self, asked: Asked, end: float) -> dict[str, Any] | Failure:
        text = self._post(asked.wire.path, self.with_extras(asked.body), end, asked.plan.learned)
        if isinstance(text, Failure):
            return text
        data = self.read_object(text)
        return Failure.within(data, asked.wire.usage(data)) or data

    def format_of(self, learned: Learned) -> WireFormat:
        return self._maker.wire(self.wire or learned.wire, self.base_url)

    def with_extras(self, body: dict[str, Any]) -> dict[str, Any]:
        """Extra parameters replace optional parts, and nothing else."""
        extras = self.options.extra_parameters
        return extras | {name: body[name] for name in body if name in OWN_PARAMETERS or name not in extras}

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
        return faults.Endpoint.of(self.base_url, self.options.model, self._api_key, self.options.timeout_seconds)

    @cached_property
    def _sdk(self) -> Any:
        return self._connected(MAX_BODY_BYTES)

    def _connected(self, most_bytes: int) -> Any:
        if not self._api_key and not self.options.base_url.strip():
            raise ProviderFatal("key", "No key is set for the provider.")
        if not self._api_key.isascii() or not self._api_key.isprintable():
            raise ProviderFatal("key", "The key holds characters that no key has.")
        if self._policy is not None:
            try:
                plain_url(self.base_url)
            except AddressRefused as refusal:
                raise ProviderFatal("address", f"The endpoint is not called: {refusal}") from None
        http = http_client(self._endpoint.origin, self._policy, most_bytes)
        return self._maker.sdk(self._api_key, self.base_url, http, is_own=not self.options.base_url)

    def _end(self) -> float:
        """When a query that begins now must have ended. The first query imports the SDK, which does not count."""
        _ = self._endpoint, self._sdk
        return time.monotonic() + self.options.timeout_seconds

    def _post(self, path: str, body: dict[str, Any], end: float, learned: Learned) -> str | Failure:
        return self._request(self._sdk.post, path, end, learned, body=body)

    def _request(
        self, send: Callable[..., httpx2.Response], path: str, end: float, learned: Learned, **content: Any
    ) -> str | Failure:
        """The body of the provider's answer as text, or the failure. send: a method of the SDK"""
        left = max(end - time.monotonic(), 0.001)
        headers = self._maker.headers(learned) | content.pop("headers", {})
        options = {"timeout": httpx2.Timeout(left, connect=min(left, CONNECT_SECONDS)), "headers": headers}
        try:
            answer = send(path, cast_to=httpx2.Response, options=options, **content)
        except self._maker.errors() as error:
            return Failure.of(error)
        text = answer.content.decode("utf-8", "replace")
        # Replies are stored, shown and exported.
        return text.replace(self._api_key, "[key]") if len(self._api_key) >= SHORTEST_KEY else text


def _seen(plan: Plan, reply: Reply) -> Learned:
    """What the reply teaches: a model that thinks unasked is asked for the texts of its thinking."""
    thinks = reply.blocks and not plan.asks_for_thinking and not plan.options.reasoning_effort
    unasked = thinks and any(block.get("type") == "thinking" for block in reply.blocks)
    return replace(plan.learned, thinking="adaptive") if unasked else plan.learned
