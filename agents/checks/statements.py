"""Our assumptions about each interface, as checks that anybody with a key can run."""

import json
import re
from collections.abc import Callable
from typing import Any

from agents.checks.checking import (
    Attempt,
    Body,
    Change,
    Check,
    accepted,
    accepted_or_learnt,
    accepted_or_unread,
    parts,
    require,
    unchanged,
    with_thinking,
)
from agents.llm import Reply
from agents.providers.formats.responses import ENCRYPTED
from agents.providers.formats.wire_format import Plan
from agents.providers.refusals import LIMITS

TOO_MUCH_OUTPUT = 200_000
"""More than the output limit of every model that we know."""

SHORT_OUTPUT = 1_024
"""An output limit that leaves room for a long input."""

NO_MODEL, NO_EFFORT = "no-such-model-by-this-name", "utmost"
SEALED = re.compile(r'"(signature|encrypted_content|thought_signature)": "\w{4}')


def with_limit(body: Body, plan: Plan, reply: Reply) -> Body:
    require(any(name in body for name in LIMITS), "The endpoint takes no output limit.")
    return body


def fewer_tools(body: Body, plan: Plan, reply: Reply) -> Body:
    return with_thinking(body, plan, reply) | {"tools": body["tools"][-1:]}


def broken_seals(body: Body, plan: Plan, reply: Reply) -> Body:
    text = json.dumps(body)
    changed = SEALED.sub(r'"\1": "AAAA', text)
    require(changed != text, "The first reply came without a signature.")
    return dict(json.loads(changed))


def without_items(*kinds: str) -> Change:
    def change(body: Body, plan: Plan, reply: Reply) -> Body:
        require(
            any(item.get("type") == "reasoning" for item in body["input"]), "The first reply came without reasoning."
        )
        return body | {"input": [item for item in body["input"] if item.get("type") not in kinds]}

    return change


def temperature(body: Body, plan: Plan, reply: Reply) -> Body:
    agent_temperature = plan.options.temperature
    return parts("thinking", temperature=1.0 if agent_temperature is None else agent_temperature)(body, plan, reply)


def called(*tools: str) -> Callable[[Attempt], bool]:
    """Return a test whether the model called tools, or the client stops forcing it to. `tools`: if given, only these."""

    def holds(attempt: Attempt) -> bool:
        if attempt.reply is None:
            return bool(attempt.lessons & {"tool_choice", "named_tool"})
        return bool(attempt.reply.calls) and all(call.name in tools for call in attempt.reply.calls if tools)

    return holds


def shows_thinking(attempt: Attempt) -> bool:
    if attempt.reply is None:
        return bool(attempt.lessons & {"thinking", "display"})
    thinks = attempt.reply.blocks or attempt.reply.usage.reasoning_tokens or attempt.reply.thinking
    require(thinks, "The model did not think about the question.")
    return bool(attempt.reply.thinking)


def names_usage(attempt: Attempt) -> bool:
    return attempt.reply is not None and not attempt.reply.usage.estimated


def names_cached(attempt: Attempt) -> bool:
    return attempt.reply is not None and attempt.reply.usage.cached_tokens > 0


def with_summary(body: Body, plan: Plan, reply: Reply) -> Body:
    return body | {"reasoning": body.get("reasoning", {}) | {"summary": "auto"}}


def optional(opening: str, part: str, change: Change = unchanged, *, is_last: bool = False) -> Check:
    """Make a check of an optional part of a request. The client leaves the part out if the provider refuses it."""
    return Check(f"{opening}, or the refusal is understood.", change, accepted_or_learnt(part), (part,), is_last)


ANY_CALL = "A call of any tool can be demanded, or the refusal is understood."
NAMED_CALL = "With all tools offered, a call of one can be demanded in the last query, or the refusal is understood."


def common(tool: str, *, forced: Any, named_tool: Any, effort: dict[str, Any]) -> list[Check]:
    """The checks that all interfaces share. `tool`: the only tool that counts in the last query."""

    demanded = ("tool_choice", "named_tool")
    return [
        Check("The usage names the tokens in and out.", None, names_usage),
        Check(ANY_CALL, parts(tool_choice=forced), called(), demanded),
        Check(NAMED_CALL, parts(tool_choice=named_tool), called(tool), demanded, is_last=True),
        optional("A temperature is accepted", "temperature", temperature),
        Check(
            "An unknown reasoning effort is refused, and the refusal names the effort.",
            parts(**effort),
            lambda attempt: attempt.names("effort"),
        ),
        Check("An unknown model is refused as one.", parts(model=NO_MODEL), lambda attempt: attempt.is_unknown_model),
        Check(
            "Broken signatures are refused in words that are understood, or ignored.",
            broken_seals,
            accepted_or_unread,
            is_last=True,
        ),
        Check(
            f"An output limit of {TOO_MUCH_OUTPUT:,} is refused, and the refusal is understood.",
            with_limit,
            lambda attempt: "most_output" in attempt.lessons,
            ("most_output",),
            limit=TOO_MUCH_OUTPUT,
        ),
        Check(
            "The second of two queries with the same long beginning names cached tokens.",
            unchanged,
            names_cached,
            is_repeated=True,
            limit=SHORT_OUTPUT,
        ),
    ]


def checks_of(wire: str, tool: str) -> list[Check]:
    """The checks of the interface named `wire`. `tool`: the only tool that counts in the last query."""
    return {"messages": messages, "responses": responses, "chat": chat}[wire](tool)


def messages(tool: str) -> list[Check]:
    return [
        Check(
            "Adaptive thinking is accepted and comes as text with the display summarized, or the refusal is understood.",
            parts("temperature", "tool_choice", thinking={"type": "adaptive", "display": "summarized"}),
            shows_thinking,
            ("thinking", "display"),
        ),
        Check("Signed thinking goes back as it came and is accepted.", with_thinking, accepted, is_last=True),
        Check(
            "Fewer tools than signed thinking was made with are refused in words that are understood, or accepted.",
            fewer_tools,
            accepted_or_unread,
            is_last=True,
        ),
        *common(
            tool,
            forced={"type": "any"},
            named_tool={"type": "tool", "name": tool},
            effort={"output_config": {"effort": NO_EFFORT}},
        ),
    ]


def responses(tool: str) -> list[Check]:
    return [
        Check(
            "Chat Completions takes tools, or its refusal names /v1/responses.",
            unchanged,
            accepted_or_learnt("wire"),
            ("wire",),
            wire="chat",
        ),
        optional("Encrypted reasoning can be asked for", "include", parts(include=[ENCRYPTED])),
        optional("A summary of the reasoning can be asked for", "summary", with_summary),
        optional("A key of the cache is accepted", "prompt_cache_key", parts(prompt_cache_key="check-provider")),
        Check("The items of a reply go back with their phase and are accepted.", with_thinking, accepted, is_last=True),
        Check(
            "Reasoning without the item after it is refused in words that are understood, or ignored.",
            without_items("message", "function_call", "function_call_output"),
            accepted_or_unread,
            is_last=True,
        ),
        Check(
            "A call without its reasoning is refused in words that are understood, or accepted.",
            without_items("reasoning"),
            accepted_or_unread,
            is_last=True,
        ),
        *common(
            tool,
            forced="required",
            named_tool={"type": "function", "name": tool},
            effort={"reasoning": {"effort": NO_EFFORT}},
        ),
    ]


def chat(tool: str) -> list[Check]:
    return [
        Check("Thinking comes as text in a field that is read.", None, shows_thinking),
        Check(
            "Thinking goes back in the field in which it came and is accepted.", with_thinking, accepted, is_last=True
        ),
        optional("A system message is accepted", "forms"),
        optional("A user message after the result of a tool is accepted", "forms", is_last=True),
        *common(
            tool,
            forced="required",
            named_tool={"type": "function", "function": {"name": tool}},
            effort={"reasoning_effort": NO_EFFORT},
        ),
    ]
