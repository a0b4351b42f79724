"""A model behind an endpoint: asking, and learning what the provider takes."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from agents.errors import ProviderFatal, ProviderRetry
from agents.llm import Reply, Request, Sent, Usage
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
class Asked:
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
        end = self._end()
        plan = Plan(request, self.options, self.learned)
        for _ in range(MOST_LESSONS):
            asked = self._asked(plan)
            answer = self._answer(asked, end)
            if not isinstance(answer, Failure):
                return self._reply(asked, answer)
            failure = answer
            if reply := self._unread(asked, failure):
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
            learned = self._lesson(asked, failure)
            if learned is None:
                break
            plan = replace(plan, learned=learned)
        raise self.fault(failure)

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
        fault = self.fault(failure)
        may_learn = isinstance(fault, ProviderFatal) and failure.usage is None
        learned = self._lesson(asked, failure) if may_learn else None
        if learned is None:
            raise fault
        self.learned = learned
        raise ProviderRetry(str(fault), may_be_billed=False)

    def attempt(self, asked: Asked) -> Reply | Failure:
        """The answer to a body as it is, which teaches nothing. Raises the errors that say nothing about the body."""
        answer = self._answer(asked, self._end())
        if not isinstance(answer, Failure):
            learned = self.learned
            try:
                return self._reply(asked, answer)
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

    def _asked(self, plan: Plan) -> Asked:
        wire = self.format_of(plan.learned)
        return Asked(plan, wire, *wire.body(plan))

    def _reply(self, asked: Asked, answer: dict[str, Any]) -> Reply:
        request, sent = asked.plan.request, asked.sent
        reply = asked.wire.read(answer, request)
        if reply is None:
            usage = asked.wire.usage(answer)
            if not usage.input_tokens and not usage.output_tokens:
                raise self.unreadable("a body that holds no reply")
            # Some servers end a call that they cannot read without a message, and bill it.
            reply = Reply(stop="other", usage=usage, model=model_in(answer))
        self.learned = _seen(asked.plan, reply)
        usage = bounded(reply, request, sent.max_tokens)
        # A question without tools is the whole chat, so nothing of its answer goes back.
        blocks = reply.blocks if request.tools else ()
        return replace(reply, model=reply.model or self.options.model, usage=usage, sent=sent, blocks=blocks)

    def _unread(self, asked: Asked, failure: Failure) -> Reply | None:
        """The reply that the model just made if the provider refuses to give it, None for other failures."""
        reply = Reply(model=self.options.model, usage=failure.usage or Usage(), sent=asked.sent)
        if was_cut_off(failure):
            # The provider bills what it does not give.
            reply = replace(reply, stop="max_tokens")
            return replace(reply, usage=bounded(reply, asked.plan.request, asked.sent.max_tokens))
        fault = refused_generation(failure)
        return replace(reply, stop="invalid", fault=self._endpoint.told(fault)) if fault else None

    def _lesson(self, asked: Asked, failure: Failure) -> Learned | None:
        """What to send next, None if the refusal teaches nothing. Raises ProviderFatal if a person has to choose."""
        try:
            learned = lesson(failure, asked.plan, asked.wire, asked.body)
        except ProviderFatal as choice:
            raise ProviderFatal(choice.kind, self._endpoint.told(choice.reason)) from None
        # A run ends in the wire format it began with.
        changes_wire = learned is not None and learned.wire != asked.plan.learned.wire
        return None if changes_wire and self.wire else learned

    def _answer(self, asked: Asked, end: float) -> dict[str, Any] | Failure:
        text = self._sent(self._sdk.post, asked.wire.path, end, asked.plan.learned, body=self.with_extras(asked.body))
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


def _seen(plan: Plan, reply: Reply) -> Learned:
    """What the reply teaches: a model that thinks unasked is asked for the texts of its thinking."""
    thinks = reply.blocks and not plan.asks_for_thinking and not plan.options.reasoning_effort
    unasked = thinks and any(block.get("type") == "thinking" for block in reply.blocks)
    learned = replace(plan.learned, room=None)
    return replace(learned, thinking="adaptive") if unasked else learned
