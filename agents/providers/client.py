"""A model behind an endpoint: asking, and learning what the provider takes."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from agents.llm import ProviderFatal, ProviderRetry, Reply, Request, Sent, Usage
from agents.options import OWN_PARAMETERS
from agents.providers.connection import Connection
from agents.providers.faults import Failure
from agents.providers.formats.wire_format import Plan, WireFormat, dicts_in, model_in
from agents.providers.learned import Learned
from agents.providers.refusals import lesson, refused_generation, refuses_thinking, was_cut_off
from agents.sizes import bounded

MOST_LESSONS = 12
"""Refusals of one query that may teach something. Each part is refused once, so this only ends a server's game."""

MOST_LISTED = 16 * 2**20
"""Bytes of a list of models."""

NOT_ABOUT_THE_BODY = ("key", "credit", "address")
"""Kinds of permanent errors that every other request would get too."""


@dataclass(frozen=True)
class WireRequest:
    """A request as it is sent. body: without the extra parameters of the agent"""

    plan: Plan
    wire: WireFormat
    body: dict[str, Any]
    sent: Sent


class Client(Connection):
    """A model that answers requests. Threads may share it.

    What a model takes is not known beforehand. A query that is refused because of a part of it is sent again at once
    without that part or with another, and later queries begin with what was `learned`.
    """

    def query(self, request: Request) -> Reply:
        """The model's reply. Raises ProviderRetry or ProviderFatal. Sends again only what was refused."""
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
                # A refusal that is billed teaches nothing, since sending again would be billed, too.
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
        """A request of a batch that is sent as was `learned` when the batch began."""
        return self._wire_request(Plan(request, self.options, learned))

    def reply(self, wire_request: WireRequest, answer: dict[str, Any] | Failure) -> Reply:
        """The reply in the answer to a line of a batch. Raises ProviderRetry or ProviderFatal.

        A refusal from which the client learned is a ProviderRetry.
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
        """The answer to a body as it is, which teaches nothing. Raises the errors that say nothing about the body."""
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
        """Learn what the maker's model card says. Never needed to play: without a card nothing changes."""
        with suppress(ProviderRetry, ProviderFatal):
            try:
                card = self.read_object(self.call("get", self._maker.card_path(self.options.model)))
            except ProviderFatal as error:
                if error.kind != "model":
                    raise
                # OpenRouter and vLLM have cards only in their list.
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
            # Some servers end a call that they cannot read without a message, and bill it.
            reply = Reply(stop="other", usage=usage, model=model_in(answer))
        self.learned = _learned_from(wire_request.plan, reply)
        usage = bounded(reply, request, sent.max_tokens)
        # A question without tools is the whole chat, so nothing of its answer goes back.
        blocks = reply.blocks if request.tools else ()
        return replace(reply, model=reply.model or self.options.model, usage=usage, sent=sent, blocks=blocks)

    def _rejected_reply(self, wire_request: WireRequest, failure: Failure) -> Reply | None:
        """The reply that the model just made if the provider refuses to give it, None for other failures."""
        reply = Reply(model=self.options.model, usage=failure.usage or Usage(), sent=wire_request.sent)
        if was_cut_off(failure):
            # The provider bills what it does not give.
            reply = replace(reply, stop="max_tokens")
            return replace(reply, usage=bounded(reply, wire_request.plan.request, wire_request.sent.max_tokens))
        fault = refused_generation(failure)
        return replace(reply, stop="invalid", fault=self._endpoint.redacted_line(fault)) if fault else None

    def _lesson(self, wire_request: WireRequest, failure: Failure) -> Learned | None:
        """What to send next, None if the refusal teaches nothing. Raises ProviderFatal if a person has to choose."""
        try:
            learned = lesson(failure, wire_request.plan, wire_request.wire, wire_request.body)
        except ProviderFatal as choice:
            raise ProviderFatal(choice.kind, self._endpoint.redacted_line(choice.reason)) from None
        # A run ends in the wire format it began with.
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
        """Extra parameters replace optional parts, and nothing else."""
        extras = self.options.extra_parameters
        return extras | {name: body[name] for name in body if name in OWN_PARAMETERS or name not in extras}


def _learned_from(plan: Plan, reply: Reply) -> Learned:
    """What the reply teaches: a model that thinks unasked is asked for the texts of its thinking."""
    thinks = reply.blocks and not plan.asks_for_thinking and not plan.options.reasoning_effort
    unasked = thinks and any(block.get("type") == "thinking" for block in reply.blocks)
    learned = replace(plan.learned, room=None)
    return replace(learned, thinking="adaptive") if unasked else learned
