"""Our assumptions about each interface, as checks that anybody with a key can run."""

import json
import re
from collections.abc import Callable
from typing import Any

from agents.checks import checking
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


def with_limit(body: checking.Body, plan: Plan, reply: Reply) -> checking.Body:
    checking.require(any(name in body for name in LIMITS), "The endpoint takes no output limit.")
    return body


def fewer_tools(body: checking.Body, plan: Plan, reply: Reply) -> checking.Body:
    return checking.with_thinking(body, plan, reply) | {"tools": body["tools"][-1:]}


def broken_seals(body: checking.Body, plan: Plan, reply: Reply) -> checking.Body:
    text = json.dumps(body)
    changed = SEALED.sub(r'"\1": "AAAA', text)
    checking.require(changed != text, "The first reply came without a signature.")
    return dict(json.loads(changed))


def without_items(*kinds: str) -> checking.Change:
    def change(body: checking.Body, plan: Plan, reply: Reply) -> checking.Body:
        checking.require(
            any(item.get("type") == "reasoning" for item in body["input"]), "The first reply came without reasoning."
        )
        return body | {"input": [item for item in body["input"] if item.get("type") not in kinds]}

    return change


def temperature(body: checking.Body, plan: Plan, reply: Reply) -> checking.Body:
    agent_temperature = plan.options.temperature
    return checking.parts("thinking", temperature=1.0 if agent_temperature is None else agent_temperature)(
        body, plan, reply
    )


def called(*tools: str) -> Callable[[checking.Attempt], bool]:
    """Return a test whether the model called tools, or the client stops forcing it to. `tools`: if given, only these."""

    def holds(attempt: checking.Attempt) -> bool:
        if attempt.reply is None:
            return bool(attempt.lessons & {"tool_choice", "named_tool"})
        return bool(attempt.reply.calls) and all(call.name in tools for call in attempt.reply.calls if tools)

    return holds


def shows_thinking(attempt: checking.Attempt) -> bool:
    if attempt.reply is None:
        return bool(attempt.lessons & {"thinking", "display"})
    thinks = attempt.reply.blocks or attempt.reply.usage.reasoning_tokens or attempt.reply.thinking
    checking.require(thinks, "The model did not think about the question.")
    return bool(attempt.reply.thinking)


def names_usage(attempt: checking.Attempt) -> bool:
    return attempt.reply is not None and not attempt.reply.usage.estimated


def names_cached(attempt: checking.Attempt) -> bool:
    return attempt.reply is not None and attempt.reply.usage.cached_tokens > 0


def with_summary(body: checking.Body, plan: Plan, reply: Reply) -> checking.Body:
    return body | {"reasoning": body.get("reasoning", {}) | {"summary": "auto"}}


def optional(
    opening: str, part: str, change: checking.Change = checking.unchanged, *, is_last: bool = False
) -> checking.Check:
    """Make a check of an optional part of a request. The client leaves the part out if the provider refuses it."""
    return checking.Check(
        f"{opening}, or the refusal is understood.", change, checking.accepted_or_learnt(part), (part,), is_last
    )


ANY_CALL = "A call of any tool can be demanded, or the refusal is understood."
NAMED_CALL = "With all tools offered, a call of one can be demanded in the last query, or the refusal is understood."


def common(tool: str, *, forced: Any, named_tool: Any, effort: dict[str, Any]) -> list[checking.Check]:
    """The checks that all interfaces share. `tool`: the only tool that counts in the last query."""

    demanded = ("tool_choice", "named_tool")
    return [
        checking.Check("The usage names the tokens in and out.", None, names_usage),
        checking.Check(ANY_CALL, checking.parts(tool_choice=forced), called(), demanded),
        checking.Check(NAMED_CALL, checking.parts(tool_choice=named_tool), called(tool), demanded, is_last=True),
        optional("A temperature is accepted", "temperature", temperature),
        checking.Check(
            "An unknown reasoning effort is refused, and the refusal names the effort.",
            checking.parts(**effort),
            lambda attempt: attempt.names("effort"),
        ),
        checking.Check(
            "An unknown model is refused as one.",
            checking.parts(model=NO_MODEL),
            lambda attempt: attempt.is_unknown_model,
        ),
        checking.Check(
            "Broken signatures are refused in words that are understood, or ignored.",
            broken_seals,
            checking.accepted_or_unread,
            is_last=True,
        ),
        checking.Check(
            f"An output limit of {TOO_MUCH_OUTPUT:,} is refused, and the refusal is understood.",
            with_limit,
            lambda attempt: "most_output" in attempt.lessons,
            ("most_output",),
            limit=TOO_MUCH_OUTPUT,
        ),
        checking.Check(
            "The second of two queries with the same long beginning names cached tokens.",
            checking.unchanged,
            names_cached,
            is_repeated=True,
            limit=SHORT_OUTPUT,
        ),
    ]


def checks_of(wire: str, tool: str) -> list[checking.Check]:
    """The checks of the interface named `wire`. `tool`: the only tool that counts in the last query."""
    return {"messages": messages, "responses": responses, "chat": chat}[wire](tool)


def messages(tool: str) -> list[checking.Check]:
    return [
        checking.Check(
            "Adaptive thinking is accepted and comes as text with the display summarized, or the refusal is understood.",
            checking.parts("temperature", "tool_choice", thinking={"type": "adaptive", "display": "summarized"}),
            shows_thinking,
            ("thinking", "display"),
        ),
        checking.Check(
            "Signed thinking goes back as it came and is accepted.",
            checking.with_thinking,
            checking.accepted,
            is_last=True,
        ),
        checking.Check(
            "Fewer tools than signed thinking was made with are refused in words that are understood, or accepted.",
            fewer_tools,
            checking.accepted_or_unread,
            is_last=True,
        ),
        *common(
            tool,
            forced={"type": "any"},
            named_tool={"type": "tool", "name": tool},
            effort={"output_config": {"effort": NO_EFFORT}},
        ),
    ]


def responses(tool: str) -> list[checking.Check]:
    return [
        checking.Check(
            "Chat Completions takes tools, or its refusal names /v1/responses.",
            checking.unchanged,
            checking.accepted_or_learnt("wire"),
            ("wire",),
            wire="chat",
        ),
        optional("Encrypted reasoning can be asked for", "include", checking.parts(include=[ENCRYPTED])),
        optional("A summary of the reasoning can be asked for", "summary", with_summary),
        optional(
            "A key of the cache is accepted", "prompt_cache_key", checking.parts(prompt_cache_key="check-provider")
        ),
        checking.Check(
            "The items of a reply go back with their phase and are accepted.",
            checking.with_thinking,
            checking.accepted,
            is_last=True,
        ),
        checking.Check(
            "Reasoning without the item after it is refused in words that are understood, or ignored.",
            without_items("message", "function_call", "function_call_output"),
            checking.accepted_or_unread,
            is_last=True,
        ),
        checking.Check(
            "A call without its reasoning is refused in words that are understood, or accepted.",
            without_items("reasoning"),
            checking.accepted_or_unread,
            is_last=True,
        ),
        *common(
            tool,
            forced="required",
            named_tool={"type": "function", "name": tool},
            effort={"reasoning": {"effort": NO_EFFORT}},
        ),
    ]


def chat(tool: str) -> list[checking.Check]:
    return [
        checking.Check("Thinking comes as text in a field that is read.", None, shows_thinking),
        checking.Check(
            "Thinking goes back in the field in which it came and is accepted.",
            checking.with_thinking,
            checking.accepted,
            is_last=True,
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
