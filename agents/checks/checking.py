"""Tests the statements about an interface in `statements` with single queries to a real provider.

A statement holds if the model does what was asked, or if the client learns the right lesson from the refusal.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from agents.llm import ProviderFatal, ProviderRetry, Reply, Request
from agents.providers.client import Client, WireRequest
from agents.providers.complaints import Complaint
from agents.providers.faults import Failure
from agents.providers.formats.wire_format import Plan, WireFormat
from agents.providers.learned import Learned
from agents.providers.makers import WIRES
from agents.providers.refusals import lesson, refuses_thinking

EXAMPLE = ("pricing", "BASIC", 0)
"""Environment, difficulty and seed of the game that is used for checks. It has short prompts."""

HELD, NOT_HELD, NOT_TRIED = "held", "not held", "not tried"
LONG_TEXT = "\n" + "This sentence makes the beginning of the chat long enough for a cache. " * 360
"""A text long enough to be cached. Providers cache only texts of a minimum length, at most 4,096 tokens."""

CALLS = {"tool_use", "function_call"}
MOST_CHARACTERS = 300

Body = dict[str, Any]
Answer = Reply | Failure
Change = Callable[[Body, Plan, Reply], Body]
"""Function that changes the usual body, given the plan and the first reply of the chat. Raises NotTried."""

Pay = Callable[[Request, int | None, Callable[[], Answer]], Answer]
"""Function that pays for a query and sends it, given the request, its output limit, None for the agent's, and the sending
function. Raises NotTried.
"""


class NotTried(Exception):
    """Raised if a check could not be made. The message gives the reason in one sentence."""


@dataclass(frozen=True)
class Finding:
    """The result of a check.

    words: the provider's refusal, what the model did, or why the statement was not tried
    """

    statement: str
    verdict: str
    words: str = ""


@dataclass(frozen=True)
class Attempt:
    """A body that was sent and its answer, a reply or a refusal.

    is_unknown_model: whether the refusal says that the model is unknown
    """

    plan: Plan
    wire: WireFormat
    body: Body
    answer: Answer
    description: str
    is_unknown_model: bool = False

    @property
    def reply(self) -> Reply | None:
        return self.answer if isinstance(self.answer, Reply) else None

    @cached_property
    def lessons(self) -> set[str]:
        """The lessons that the client learns from a refusal: parts to leave out, and fields of Learned that change."""
        before = after = self.plan.learned
        if isinstance(self.answer, Failure):
            with suppress(ProviderFatal):
                after = lesson(self.answer, self.plan, self.wire, self.body) or before
        fields = ("wire", "most_output", "thinking", "forms")
        changed = {name for name in fields if getattr(after, name) != getattr(before, name)}
        return changed | (set(after.refused) - set(before.refused))

    def names(self, part: str) -> bool:
        """Whether a refusal names a part of the request."""
        complaint = self.answer.complaint if isinstance(self.answer, Failure) else Complaint()
        text = f"{complaint.parameter} {complaint.message}"
        return bool(re.search(self.wire.part_patterns[part], text, re.IGNORECASE))


@dataclass(frozen=True)
class Check:
    """A check of one statement.

    statement: one sentence
    change: changes the body; if None, the first reply is judged without another query
    holds: whether the answer agrees with the statement
    parts: lessons to ignore, named as in `Attempt.lessons`: the check sends these parts even if they were refused before
    is_last: whether to send the last query of a chat, after the first reply, instead of the first query
    is_repeated: whether to send a query with a long beginning twice and judge the second answer
    limit: the output limit, None for the agent's
    wire: the wire format, empty for the agent's
    """

    statement: str
    change: Change | None
    holds: Callable[[Attempt], bool]
    parts: tuple[str, ...] = ()
    is_last: bool = False
    is_repeated: bool = False
    limit: int | None = None
    wire: str = ""

    def without_parts(self, learned: Learned) -> Learned:
        """What was learned, without the lessons in `parts`."""
        unset = {name: value for name, value in vars(Learned()).items() if name in self.parts}
        return replace(learned, refused=tuple(part for part in learned.refused if part not in self.parts), **unset)


class Checks:
    """Runs checks with a client.

    first: the first query of a chat, which offers two tools
    last: makes the last query of the chat, in which only one tool counts, from the first reply
    pay: pays for and sends each query
    """

    def __init__(self, client: Client, first: Request, last: Callable[[Reply], Request], pay: Pay):
        self.client, self.first, self.last, self.pay = client, first, last, pay

    def findings(self, checks: Iterable[Check]) -> Iterator[Finding]:
        for check in checks:
            try:
                attempt = self._attempt(check)
                yield Finding(check.statement, HELD if check.holds(attempt) else NOT_HELD, attempt.description)
            except (NotTried, ProviderRetry, ProviderFatal) as why:
                yield Finding(check.statement, NOT_TRIED, str(why))

    @cached_property
    def _first_reply(self) -> Reply:
        reply = self.pay(self.first, None, lambda: self.client.query(self.first))
        assert isinstance(reply, Reply)
        return reply

    def _attempt(self, check: Check) -> Attempt:
        learned = check.without_parts(self.client.learned)
        wire = WIRES[check.wire] if check.wire else self.client.format_of(learned)
        if check.change is None:
            reply = self._first_reply
            return Attempt(Plan(self.first, self.client.options, learned), wire, {}, reply, described(reply))
        request = self.last(self._first_reply) if check.is_last else self.first
        if check.is_repeated:
            request = replace(request, system=request.system + LONG_TEXT)
        options = replace(self.client.options, max_tokens=check.limit or self.client.options.max_tokens)
        plan = Plan(request, options, learned)
        usual, sent = wire.body(plan)
        body = check.change(usual, plan, self._first_reply if check.is_last else Reply())
        owned = {name for name in options.extra_parameters if body.get(name) != usual.get(name)}
        require(not owned, f"The agent's extra parameters set {', '.join(sorted(owned))}.")
        answer: Answer = Reply()
        for _ in range(2 if check.is_repeated else 1):
            answer = self.pay(request, check.limit, lambda: self.client.attempt(WireRequest(plan, wire, body, sent)))
        if isinstance(answer, Reply):
            return Attempt(plan, wire, body, answer, described(answer))
        error = self.client.fault(answer)
        is_unknown = isinstance(error, ProviderFatal) and error.kind == "model"
        return Attempt(plan, wire, body, answer, f"Refused: {self.client.redacted_message(answer)}", is_unknown)


def described(reply: Reply) -> str:
    """Describe a reply in words."""
    calls = ", ".join(call.name for call in reply.calls)
    did = f"It called {calls}" if calls else f"It answered with text: {reply.text!r}" if reply.text else "It was empty"
    fields = sorted({str(block.get("type") or "") or ", ".join(block) for block in reply.blocks} - CALLS)
    kept = f"; it came with {', '.join(fields)}" if fields else ""
    usage = reply.usage
    tokens = f"; {usage.input_tokens:,} tokens in, {usage.cached_tokens:,} of them cached, {usage.output_tokens:,} out."
    return (did + kept)[:MOST_CHARACTERS] + tokens


def parts(*unset: str, **values: Any) -> Change:
    """Return a change that removes the parts `unset` from the body and sets `values`."""
    return lambda body, plan, reply: {name: body[name] for name in body if name not in unset} | values


def unchanged(body: Body, plan: Plan, reply: Reply) -> Body:
    return body


def require(holds: object, otherwise: str) -> None:
    """Raise NotTried with the sentence `otherwise` if a condition of a check does not hold."""
    if not holds:
        raise NotTried(otherwise)


def with_thinking(body: Body, plan: Plan, reply: Reply) -> Body:
    require(reply.blocks, "The first reply came without thinking that goes back.")
    return body


def accepted(attempt: Attempt) -> bool:
    return attempt.reply is not None


def accepted_or_learnt(*names: str) -> Callable[[Attempt], bool]:
    """Return a function of an attempt: whether its body was accepted, or the client learned a lesson in `names`."""
    return lambda attempt: accepted(attempt) or bool(attempt.lessons & set(names))


def accepted_or_unread(attempt: Attempt) -> bool:
    """Whether the body was accepted, or refused because of its thinking, which the client then leaves out."""
    return not isinstance(attempt.answer, Failure) or refuses_thinking(attempt.answer)
