"""A model behind an endpoint: sending, deadlines, and learning what the provider takes."""

import time
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

import httpx2

from agents.addresses import AddressPolicy, AddressRefused, plain_url
from agents.errors import ProviderFatal, ProviderRetry
from agents.llm import Reply, Request, Sent
from agents.options import KEY_HEADERS, NOT_SECRET, OWN_PARAMETERS, LLMOptions
from agents.providers import faults
from agents.providers.faults import Failure
from agents.providers.formats.wire_format import Plan, WireFormat
from agents.providers.learned import Learned
from agents.providers.makers import MAKERS
from agents.providers.refusals import lesson, refused_generation, refuses_thinking
from agents.providers.transport import CONNECT_SECONDS, http_client
from agents.providers.wire import parse_json
from agents.sizes import bounded

SHORTEST_KEY = 8
"""Shorter keys are not masked: local servers often have keys such as "none", which may be words of a reply."""

MOST_LESSONS = 12
"""Refusals of one query that may teach something. Each part is refused once, so this only ends a server's game."""


NOT_ABOUT_THE_BODY = ("key", "credit", "address")
"""Kinds of permanent errors that every other request would get too."""


class Client:
    """One model behind an official SDK. Threads may share it.

    What a model takes is not known beforehand. A query that is refused because of a part of it is sent again at once
    without that part or with another, and later queries begin with what was `learned`.

    wire: the wire format that a run began with and keeps, empty for the provider's choice
    headers: extra headers of every request; those that would replace the key are left out
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

    def query(self, request: Request) -> Reply:
        """The model's reply. Raises ProviderRetry or ProviderFatal. Sends again only what was refused."""
        end = self._end()
        plan = Plan(request, self.options, self.learned)
        for _ in range(MOST_LESSONS):
            wire = self.format_of(plan.learned)
            body, sent = wire.body(plan)
            answer = self._reply(plan, wire, body, sent, end)
            if isinstance(answer, Reply):
                self.learned = _seen(plan, answer)
                return answer
            failure = answer
            if fault := refused_generation(failure):
                return Reply(stop="invalid", model=self.options.model, fault=self._endpoint.told(fault), sent=sent)
            if (
                refuses_thinking(failure)
                and not plan.without_thinking
                and any(turn.reply.blocks for turn in request.turns)
            ):
                plan = replace(plan, without_thinking=True)
                continue
            learned = lesson(failure, plan, wire, body)
            # A run ends in the wire format it began with.
            if learned is None or (learned.wire != plan.learned.wire and self.wire):
                break
            plan = replace(plan, learned=learned)
        raise self.fault(failure)

    def attempt(self, plan: Plan, wire: WireFormat, body: dict[str, Any], sent: Sent) -> Reply | Failure:
        """The answer to a body as it is, which teaches nothing. Raises the errors that say nothing about the body."""
        answer = self._reply(plan, wire, body, sent, self._end())
        if isinstance(answer, Failure):
            error = self.fault(answer)
            if not isinstance(error, ProviderFatal) or error.kind in NOT_ABOUT_THE_BODY:
                raise error
        return answer

    def fault(self, failure: Failure) -> Exception:
        return faults.fault(failure, self._endpoint)

    def told(self, failure: Failure) -> str:
        """What the provider says, as one line without secrets."""
        return self._endpoint.told(failure.complaint.message)

    def _reply(self, plan: Plan, wire: WireFormat, body: dict[str, Any], sent: Sent, end: float) -> Reply | Failure:
        answer = self._answer(wire, self._with_extras(body), end, plan.learned)
        if isinstance(answer, Failure):
            return answer
        reply = wire.read(answer, plan.request)
        if reply is None:
            raise faults.unreadable(self._endpoint, "a body that holds no reply")
        usage = bounded(reply, plan.request, sent.max_tokens)
        return replace(reply, model=reply.model or self.options.model, usage=usage, sent=sent)

    def _answer(self, wire: WireFormat, body: dict[str, Any], end: float, learned: Learned) -> dict[str, Any] | Failure:
        text = self._post(wire.path, body, end, learned)
        if isinstance(text, Failure):
            return text
        data = self._object(text)
        return Failure.within(data, wire.usage(data)) or data

    def format_of(self, learned: Learned) -> WireFormat:
        return self._maker.wire(self.wire or learned.wire, self.base_url)

    def read_card(self) -> None:
        """Learn what the maker's model card says. Never needed to play: without a card nothing changes."""
        with suppress(ProviderRetry, ProviderFatal):
            text = self._sent("get", self._maker.card_path(self.options.model), self._end(), self.learned)
            if isinstance(text, str):
                self.learned = replace(self.learned, **self._maker.card(self._object(text)))

    def _with_extras(self, body: dict[str, Any]) -> dict[str, Any]:
        """Extra parameters replace optional parts, and nothing else."""
        extras = self.options.extra_parameters
        return extras | {name: body[name] for name in body if name in OWN_PARAMETERS or name not in extras}

    def _object(self, text: str) -> dict[str, Any]:
        try:
            data = parse_json(text)
        except ValueError:
            raise faults.unreadable(self._endpoint, "text that is not JSON") from None
        if not isinstance(data, dict):
            raise faults.unreadable(self._endpoint, "JSON that is not a reply")
        return data

    @property
    def base_url(self) -> str:
        return self._maker.base_url(self.options.base_url)

    @cached_property
    def _endpoint(self) -> faults.Endpoint:
        return faults.Endpoint.of(self.base_url, self.options.model, self._secrets, self.options.timeout_seconds)

    @property
    def _is_keyless(self) -> bool:
        """Whether other headers than Authorization say who asks."""
        names = {name.lower() for name in self._headers}
        return bool(names) and not self._api_key and "authorization" not in names

    @cached_property
    def _secrets(self) -> tuple[str, ...]:
        """The key, and the values of headers that may be one, with and without a word such as Bearer before it."""
        values = [value for name, value in self._headers.items() if name.lower() not in NOT_SECRET]
        secrets = {part for value in values for part in (value, value.split()[-1]) if len(part) >= SHORTEST_KEY}
        return (self._api_key, *sorted(secrets, key=len, reverse=True))

    @cached_property
    def _sdk(self) -> Any:
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
        return self._maker.sdk(self._api_key, self.base_url, http, self._headers, is_own=not self.options.base_url)

    def _end(self) -> float:
        """When a query that begins now must have ended. The first query imports the SDK, which does not count."""
        _ = self._endpoint, self._sdk
        return time.monotonic() + self.options.timeout_seconds

    def _post(self, path: str, body: dict[str, Any], end: float, learned: Learned) -> str | Failure:
        """The body of the provider's answer as text, or the failure."""
        return self._sent("post", path, end, learned, body=body)

    def _sent(self, method: str, path: str, end: float, learned: Learned, **content: Any) -> str | Failure:
        left = max(end - time.monotonic(), 0.001)
        options = {"timeout": httpx2.Timeout(left, connect=min(left, CONNECT_SECONDS))} | self._maker.headers(
            learned, is_keyless=self._is_keyless
        )
        try:
            send = getattr(self._sdk, method)
            answer: httpx2.Response = send(path, cast_to=httpx2.Response, options=options, **content)
        except self._maker.errors() as error:
            return Failure.of(error)
        text = answer.content.decode("utf-8", "replace")
        # Replies are stored, shown and exported.
        for secret in self._secrets:
            text = text.replace(secret, "[key]") if len(secret) >= SHORTEST_KEY else text
        return text


def _seen(plan: Plan, reply: Reply) -> Learned:
    """What the reply teaches: a model that thinks unasked is asked for the texts of its thinking."""
    thinks = reply.blocks and not plan.asks_for_thinking and not plan.options.reasoning_effort
    unasked = thinks and any(block.get("type") == "thinking" for block in reply.blocks)
    return replace(plan.learned, thinking="adaptive") if unasked else plan.learned
