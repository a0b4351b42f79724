"""Lessons from refusals: which part of a request to leave out, reduce or change, and what a person must decide.

A refusal is matched first by the parameter that it names, then by whole words. The name of the model is never used.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from agents.llm import ProviderFatal
from agents.providers.faults import Failure
from agents.providers.formats.wire_format import Plan, WireFormat
from agents.providers.learned import PROMPT_IN_RESULT, SYSTEM_IN_PROMPT, Learned

NOT_ABOUT_PARTS = (401, 402, 408, 409, 425, 429, 503, 504, 529)
"""Statuses of refusals that are not about a part of the request, even if the message names one."""

REFUSES = re.compile(
    r"not (support|implemented|permitted|allowed|valid|compatible)|unsupported|unknown|unrecogni[sz]ed|unexpected|invalid"
    r"|extra|deprecated|requires|incompatible|only .{1,20} (is|are) allowed|support the provided|remove|one of|should be",
    re.IGNORECASE,
)
TOO_LARGE = re.compile(
    r"too (large|high|big|many)|exceed|at most|maximum|less than or equal|(larger|lower) than|range|between \d|> ?\d|<= ?\d"
    r"|\[\d+, ?\d+\]",
    re.IGNORECASE,
)
TOO_SMALL = re.compile(r"too (small|low)|at least|minimum|greater than|>= ?\d|positive", re.IGNORECASE)
OUTPUT_LIMIT = re.compile(
    r"max(imum)?[_ ]?(completion|output|new)?[_ ]?tokens|(completion|output) tokens|(in|for) the (completion|output)"
    r"|requested \d+ output",
    re.IGNORECASE,
)
COMMA = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
WINDOW = re.compile(
    r"context (?:length|window|size)(?: is| of)? (\d{1,9})|\+ \d{1,9} > (\d{1,9})|must be <= (\d{1,9})"
    r"|(?<!\d)(\d{1,9}) (?:maximum context|- \d)",
    re.IGNORECASE,
)
"""Pattern for the size of the context window, the tokens that input and output share."""

SPARE = 0.75
"""Share of the remaining window to use for output, because the next queries of the chat have longer inputs."""

LEAST_OUTPUT = 256
SIGNATURE = re.compile(
    r"bound to a different|invalid_encrypted_content|encrypted content|th(ought|inking)[_ ]signature|invalid `?signature`?"
    r"|\.signature\b|item with id 'rs_|without its required",
    re.IGNORECASE,
)
GENERATION = re.compile(
    r"tool_use_failed|failed_generation|malformed_function_call|did not call a tool|model called a tool"
    r"|failed to call a function|validation errors? for list\[function|failed to parse fc|xml syntax error"
    r"|(failed to parse|error parsing|could not parse|be parsed as a|malformed|invalid) (tool|function)[ _-]calls?\b(?! id)"
    r"|failed to parse input at pos|model (output|produced|generated).{0,40}(invalid|not valid|malformed|not be parsed)"
    r"|unexpected tokens? .{0,20}(in message header|while expecting)",
    re.IGNORECASE,
)
CUT_OFF = re.compile(r"output limit was reached|could not finish the (message|reply|response)", re.IGNORECASE)
OUR_REQUEST = re.compile(r"messages?\W?\d|messages?[.\[]|\bschema\b|request body", re.IGNORECASE)
"""Pattern for a server that cannot read our request. It would be refused again, whatever the model writes."""

TEMPLATE = re.compile(
    r"\broles?\b|chat template|jinja|system (message|prompt|instruction)|developer instruction|last message"
    r"|message[_ ](order|sequence)|\b(user|tool)\b.{0,40}\bfollow|follow.{0,40}\b(user|tool)\b|not allowed in this position",
    re.IGNORECASE,
)
SYSTEM_MESSAGE = re.compile(r"(?<!optional )(system|developer)", re.IGNORECASE)
"""Pattern for the system message, unless it is called optional."""

FLAG = re.compile(r"requires? .{0,20}?(--[a-z][a-z-]+)((?: and| or|,) --[a-z][a-z-]+)*")
"""Pattern for a command-line option of the server. Only the operator of the server can set it."""

VALUES = re.compile(r"\b(?:values|one of|following|should be)\b(?:[^:\[.\"]*[:\[])?\s*([^.\]}]+)", re.IGNORECASE)
RESPONSES = re.compile(r"v1/responses\b|responses api\b|`/responses`", re.IGNORECASE)
CHANGE = "Make an agent with another effort."
LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


def refused_generation(failure: Failure) -> str:
    """The provider's message if it cannot read the reply that the model just generated; empty for other failures."""
    complaint = failure.complaint
    # Groq mentions the schema if a call does not match it; that is not about our request.
    is_ours = (
        OUR_REQUEST.search(f"{complaint.message} {complaint.parameter}") and "tool_use_failed" not in complaint.text
    )
    is_possible = failure.status not in (403, *NOT_ABOUT_PARTS) and not is_ours
    return complaint.message if is_possible and GENERATION.search(complaint.text) else ""


def was_cut_off(failure: Failure) -> bool:
    """Whether the provider withholds a reply because it reached its output limit."""
    return failure.status in (200, 400, 422, 500) and bool(CUT_OFF.search(failure.complaint.message))


def refuses_thinking(failure: Failure) -> bool:
    """Whether the provider cannot read earlier thinking, for example because the key, model or route has changed."""
    return failure.status in (400, 404, 422) and bool(SIGNATURE.search(failure.complaint.text))


def lesson(failure: Failure, plan: Plan, wire: WireFormat, body: dict[str, Any]) -> Learned | None:
    """The lesson for the next attempt; None without one. Raises ProviderFatal if a person has to decide."""
    if failure.status < 400 or failure.status in NOT_ABOUT_PARTS:
        return None
    if wire.name == "chat" and RESPONSES.search(failure.complaint.message):
        return replace(plan.learned, wire="responses")
    if flag := FLAG.search(failure.complaint.message):
        raise ProviderFatal(
            "request", f"The server calls tools only if it is started with {flag[0][flag[0].index('--') :]}."
        )
    return next(filter(None, Refusal(failure, plan, wire, body).lessons()), None)


class Refusal:
    """A refusal of one request."""

    def __init__(self, failure: Failure, plan: Plan, wire: WireFormat, body: dict[str, Any]):
        self.failure, self.plan, self.wire, self.body = failure, plan, wire, body
        self.learned, self.message = plan.learned, failure.complaint.message

    def lessons(self) -> Iterator[Learned | None]:
        """Yield the result of each rule, in the order in which they are tried."""
        yield self._smaller_limit()
        yield self._without("tool_choice", "kept", "display")
        yield self._thinking_type()
        yield self._without("reasoning_effort", "summary")
        self._check_effort()
        self._check_tier()
        yield self._other_limit_name()
        yield self._without("temperature", "cache_control", "include", "strict", "prompt_cache_key", "version")
        yield self._arrangement()

    def _without(self, *parts: str) -> Learned | None:
        """Leave out the first of these parts that the refusal is about."""
        known = filter(self.wire.part_patterns.__contains__, parts)
        part = next((part for part in known if self._is_sent(part) and self._is_about(part)), "")
        left_out = "named_tool" if part == "tool_choice" and self.plan.forced_name else part
        return self.learned.without(left_out) if part else None

    def _is_about(self, part: str) -> bool:
        """Whether the provider refused the request because of this part."""
        pattern = self.wire.part_patterns[part]
        named = rf"(.*[.\[])?({pattern})(\W.*)?"
        mention = re.search(rf"\b({pattern})\b", self.message, re.IGNORECASE)
        # Other statuses have many causes, so the message must say that something is refused.
        is_refused = bool(mention) and (self.failure.status in (400, 422) or bool(REFUSES.search(self.message)))
        return is_refused or bool(re.fullmatch(named, self.failure.complaint.parameter, re.IGNORECASE))

    def _is_sent(self, part: str) -> bool:
        """Whether we added this part. Extra parameters do not count: their author should see that they are refused."""
        if part in ("display", "summary"):
            within = {"display": "thinking", "summary": "reasoning"}[part]
            return part in self.body.get(within, {}) or (part == "summary" and "extra_body" in self.body)
        if part in ("kept", "cache_control", "strict", "version"):
            has_blocks = any(turn.reply.blocks for turn in self.plan.request.turns)
            return self.learned.takes(part) and (part != "kept" or has_blocks)
        return part in self.body and part not in self.plan.options.extra_parameters

    def _thinking_type(self) -> Learned | None:
        """Try another type of thinking if the refusal is about the current type."""
        kind = self.body.get("thinking", {}).get("type", "")
        if self.wire.name != "messages" or not kind or not re.search(rf"\b{kind}\b|thinking\.type\b", self.message):
            return None
        is_off = self.plan.options.reasoning_effort == "none"
        following = {"disabled": "between_tools"} if is_off else {"adaptive": "enabled", "enabled": "none"}
        if is_off and kind not in following:
            raise ProviderFatal("request", f"{self.plan.options.model} cannot be kept from thinking. {CHANGE}")
        return replace(self.learned, thinking=following[kind]) if kind in following else None

    def _check_effort(self) -> None:
        """Raise ProviderFatal if the reasoning effort is refused. An effort set by a person is never dropped silently."""
        effort = self.plan.options.reasoning_effort
        is_refused = self.failure.complaint.parameter or REFUSES.search(self.message)
        if not effort or not is_refused or not self._is_about("effort"):
            return
        values = VALUES.search(self.message)
        taken = " ".join(values[1].split()).strip('" ') if values else ""
        explanation = f"It takes {taken}." if taken else f"The provider says: {self.message.rstrip('.')}."
        raise ProviderFatal(
            "request",
            f"{self.plan.options.model} does not take the reasoning effort '{effort}'. {explanation} {CHANGE}",
        )

    def _check_tier(self) -> None:
        """Raise ProviderFatal if the service tier is refused. A tier chosen by a person is never dropped silently."""
        tier = self.plan.options.service_tier
        if tier and self._is_sent("service_tier") and self._is_about("tier"):
            raise ProviderFatal(
                "request",
                f"{self.plan.options.model} has no service tier '{tier}'. Cancel the run and launch it without it.",
            )

    def _smaller_limit(self) -> Learned | None:
        """Try a smaller output limit: the one in the refusal, or half of the limit that was sent."""
        sent = next((self.body[name] for name in LIMITS if isinstance(self.body.get(name), int)), None)
        if sent is None or not TOO_LARGE.search(self.message) or not OUTPUT_LIMIT.search(self.message):
            return None
        message = COMMA.sub("", re.sub(rf"(?<!\w){re.escape(self.plan.options.model)}(?!\w)", "", self.message))
        numbers = [int(number) for number in re.findall(r"\d+", message)]
        if window := WINDOW.search(message):
            size = int(next(filter(None, window.groups())))
            # Some messages give the sum of input and limit.
            inputs = [number - sent for number in numbers if number > max(size, sent)]
            most = max(inputs or [number for number in numbers if number not in (size, sent)], default=0)
            name, limit = "room" if most > size // 2 else "most_output", int((size - most) * SPARE)
        else:
            half = 0 if REFUSES.search(message) else sent // 2
            limit = max((number for number in numbers if LEAST_OUTPUT <= number < sent), default=half)
            name = "most_output"
        changed: dict[str, Any] = {name: limit}
        return replace(self.learned, **changed) if LEAST_OUTPUT <= limit < sent else None

    def _other_limit_name(self) -> Learned | None:
        """Try the other name of the output limit. A limit is never dropped, because a person set it and budgets use it."""
        text = f"{self.message} {self.failure.complaint.parameter}"
        name = next((name for name in LIMITS if name in self.body and re.search(rf"\b{name}\b", text)), "")
        if not name or TOO_LARGE.search(self.message) or TOO_SMALL.search(self.message):
            return None
        if self.wire.name == "chat" and {"max_tokens", "max_completion_tokens"} - {name, *self.learned.refused}:
            return self.learned.without(name)
        raise ProviderFatal("request", "The endpoint takes no output limit. Empty the output limit of the agent.")

    def _arrangement(self) -> Learned | None:
        """Learn to put the system text or a prompt into another message, if the chat template refuses the chat."""
        if self.wire.name != "chat" or not TEMPLATE.search(self.failure.complaint.text):
            return None
        fitting = {
            SYSTEM_IN_PROMPT: bool(self.plan.request.system),
            PROMPT_IN_RESULT: any(turn.results and turn.prompt for turn in self.plan.request.turns),
        }
        untried = [form for form, fits in fitting.items() if fits and form not in self.learned.forms]
        position = 0 if SYSTEM_MESSAGE.search(self.message) else -1
        return replace(self.learned, forms=(*self.learned.forms, untried[position])) if untried else None
