"""A model behind an endpoint: sends queries, and learns what the provider accepts."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from agents.llm import ProviderFatal, ProviderRetry, Reply, Request, Sent, Usage
from agents.options import OWN_PARAMETERS
from agents.providers.connection import Connection
from agents.providers.faults import Failure
from agents.providers.formats.wire_format import Plan, WireFormat
from agents.providers.learned import Learned
from agents.providers.refusals import lesson, refused_generation, refuses_thinking, was_cut_off
from agents.providers.wire import dicts_in, text_in
from agents.sizes import bounded

MOST_LESSONS = 12
"""Maximum number of refusals of one query to learn from. Normally each part is refused only once; this stops odd servers."""

MOST_LISTED = 16 * 2**20
"""Maximum bytes of a list of models."""

NOT_ABOUT_THE_BODY = ("key", "credit", "address")
"""Kinds of permanent errors that do not depend on the body, so that every other request would get them too."""


@dataclass(frozen=True)
class WireRequest:
    """A request as it is sent. `body` is still without the extra parameters of the agent."""

    plan: Plan
    wire: WireFormat
    body: dict[str, Any]
    sent: Sent


class Client(Connection):
    """A model that answers requests. Threads may share it.

    It is not known in advance which parameters a model accepts. If a query is refused because of one of its parts, it is
    sent again at once with that part removed or changed. Later queries start from what was `learned`.
    """

    def query(self, request: Request) -> Reply:
        """Return the model's reply. Raises ProviderRetry or ProviderFatal. Only refused queries are sent again."""
        deadline = self._deadline()
        plan = Plan(request, self.options, self.learned)
        for _ in range(MOST_LESSONS):
            wire_request = self._wire_request(plan)
            answer = self._answer(wire_request, deadline)
            if not isinstance(answer, Failure):
                return self._reply(wire_request, answer)
            failure = answer
            if reply := self._rejected_reply(wire_request, failure):
                self.learned = plan.learned
                return reply
            if failure.usage is not None:
                # Do not learn from a billed refusal: sending again would be billed too.
                break
            if (
                refuses_thinking(failure)
                and not plan.without_thinking
                and any(turn.reply.blocks for turn in request.turns)
            ):
                plan = replace(plan, without_thinking=True)
                continue
            learned = self._lesson(wire_request, failure)
            if learned is None:
                break
            plan = replace(plan, learned=learned)
        raise self.fault(failure)

    def wire_request(self, request: Request, learned: Learned) -> WireRequest:
        """Make a request of a batch from what was `learned` when the batch began."""
        return self._wire_request(Plan(request, self.options, learned))

    def reply(self, wire_request: WireRequest, answer: dict[str, Any] | Failure) -> Reply:
        """Read the reply from the answer to a line of a batch. Raises ProviderRetry or ProviderFatal.

        Raises ProviderRetry for a refusal from which the client learned.
        """
        failure = answer if isinstance(answer, Failure) else Failure.within(answer, wire_request.wire.usage(answer))
        if failure is None:
            assert isinstance(answer, dict)
            return self._reply(wire_request, answer)
        fault = self.fault(failure)
        may_learn = isinstance(fault, ProviderFatal) and failure.usage is None
        learned = self._lesson(wire_request, failure) if may_learn else None
        if learned is None:
            raise fault
        self.learned = learned
        raise ProviderRetry(str(fault), may_be_billed=False)

    def attempt(self, wire_request: WireRequest) -> Reply | Failure:
        """Send a body once and return the answer, without learning. Raises errors that do not depend on the body."""
        answer = self._answer(wire_request, self._deadline())
        if not isinstance(answer, Failure):
            learned = self.learned
            try:
                return self._reply(wire_request, answer)
            finally:
                self.learned = learned
        error = self.fault(answer)
        if not isinstance(error, ProviderFatal) or error.kind in NOT_ABOUT_THE_BODY:
            raise error
        return answer

    def read_card(self) -> None:
        """Learn from the maker's model card. The card is optional: without one nothing changes."""
        with suppress(ProviderRetry, ProviderFatal):
            try:
                card = self.read_object(self.call("get", self._maker.card_path(self.options.model)))
            except ProviderFatal as error:
                if error.kind != "model":
                    raise
                # OpenRouter and vLLM have cards only in their list of models.
                listed = self.read_object(self.call("get", "/models", most_bytes=MOST_LISTED)).get("data")
                card = next((entry for entry in dicts_in(listed) if entry.get("id") == self.options.model), {})
            self.learned = replace(self.learned, **self._maker.card(card))

    def _wire_request(self, plan: Plan) -> WireRequest:
        wire = self.format_of(plan.learned)
        return WireRequest(plan, wire, *wire.body(plan))

    def _reply(self, wire_request: WireRequest, answer: dict[str, Any]) -> Reply:
        request, sent = wire_request.plan.request, wire_request.sent
        reply = wire_request.wire.read(answer, request)
        if reply is None:
            usage = wire_request.wire.usage(answer)
            if not usage.input_tokens and not usage.output_tokens:
                raise self.unreadable("a body that holds no reply")
            # If some servers cannot read a call, their answer has no message, but is billed.
            reply = Reply(stop="other", usage=usage, model=text_in(answer.get("model")))
        self.learned = _learned_from(wire_request.plan, reply)
        return replace(
            reply,
            model=reply.model or self.options.model,
            usage=bounded(reply, request, sent.max_tokens),
            sent=sent,
            # A question without tools is a whole chat. Nothing of its answer is sent back.
            blocks=reply.blocks if request.tools else (),
        )

    def _rejected_reply(self, wire_request: WireRequest, failure: Failure) -> Reply | None:
        """The model's reply if the provider withholds it because it is invalid or was cut off; None for other failures."""
        reply = Reply(model=self.options.model, usage=failure.usage or Usage(), sent=wire_request.sent)
        if was_cut_off(failure):
            # The provider bills the reply although it withholds it.
            reply = replace(reply, stop="max_tokens")
            return replace(reply, usage=bounded(reply, wire_request.plan.request, wire_request.sent.max_tokens))
        fault = refused_generation(failure)
        return replace(reply, stop="invalid", fault=self._endpoint.redacted_line(fault)) if fault else None

    def _lesson(self, wire_request: WireRequest, failure: Failure) -> Learned | None:
        """The lesson for the next attempt; None without one. Raises ProviderFatal if a person has to decide."""
        try:
            learned = lesson(failure, wire_request.plan, wire_request.wire, wire_request.body)
        except ProviderFatal as choice:
            raise ProviderFatal(choice.kind, self._endpoint.redacted_line(choice.reason)) from None
        # A run keeps the wire format with which it began.
        changes_wire = learned is not None and learned.wire != wire_request.plan.learned.wire
        return None if changes_wire and self.wire else learned

    def _answer(self, wire_request: WireRequest, deadline: float) -> dict[str, Any] | Failure:
        body, learned = self.with_extras(wire_request.body), wire_request.plan.learned
        text = self._send(self._sdk.post, wire_request.wire.path, deadline, learned, body=body)
        if isinstance(text, Failure):
            return text
        data = self.read_object(text)
        return Failure.within(data, wire_request.wire.usage(data)) or data

    def format_of(self, learned: Learned) -> WireFormat:
        return self._maker.wire(self.wire or learned.wire, self.base_url)

    def with_extras(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body with the agent's extra parameters. They replace optional parts only."""
        extras = self.options.extra_parameters
        return extras | {name: body[name] for name in body if name in OWN_PARAMETERS or name not in extras}


def _learned_from(plan: Plan, reply: Reply) -> Learned:
    """Learn from a reply: if the model thinks without being asked, request the texts of its thinking from now on."""
    is_unasked = not plan.asks_for_thinking and not plan.options.reasoning_effort
    thinks = is_unasked and any(block.get("type") == "thinking" for block in reply.blocks)
    return replace(plan.learned, room=None, thinking="adaptive" if thinks else plan.learned.thinking)
