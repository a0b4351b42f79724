"""One model card, or a few, for each family of models on the market in November 2026.

Prices that no public list of that month names (cached input, some older models) are stand-ins of the right size.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from tests.emulators.model import ChatForm, Model, Prices, Thinking, prices

LONG_OPENAI = (272_000, "2", "3/2")
HALF_BY_FLEX = (("auto", Fraction(1)), ("default", Fraction(1)), ("flex", Fraction(1, 2)))
OPENAI_CAPS = ("max_completion_tokens",)
OLDER_CAP: dict[str, Any] = {"caps": ("max_tokens",), "ignores_other_cap": True}
ANTHROPIC_TIERS = (("auto", Fraction(1)), ("standard_only", Fraction(1)))


def _openai(model_id: str, cost: Prices, **card) -> Model:
    form = ChatForm(caps=OPENAI_CAPS, refuses_unknown_fields=True)
    given = {"wires": ("responses", "chat"), "chat": form, "tiers": HALF_BY_FLEX, "max_input": 922_000}
    return Model(model_id, "openai", prices=cost, **{**given, **card})


def _claude(model_id: str, cost: Prices, thinking: Thinking, **card) -> Model:
    efforts = ("low", "medium", "high", "xhigh", "max")
    given = {"efforts": efforts, "effort": "high", "tiers": ANTHROPIC_TIERS, "cache_minimum": 512}
    return Model(model_id, "anthropic", ("messages",), cost, thinking=thinking, **{**given, **card})


def _chat(model_id: str, maker: str, cost: Prices, form: ChatForm, **card) -> Model:
    return Model(model_id, maker, ("chat",), cost, chat=form, **card)


GPT_41 = _openai(
    "gpt-4.1-2025-04-14",
    prices("2", "8", cached="0.5"),
    shutdown_date="2027-01-14",
    max_output=32_768,
    chat=ChatForm(refuses_unknown_fields=True),
)
GPT_54 = _openai(
    "gpt-5.4",
    prices("2.5", "15", cached="0.25"),
    efforts=("none", "low", "medium", "high", "xhigh"),
    temperature="without effort",
    responds_as="gpt-5.4-2026-03-05",
)
GPT_56 = _openai(
    "gpt-5.6-sol",
    prices("1.75", "14", write_factor="5/4", long=LONG_OPENAI),
    efforts=("none", "low", "medium", "high", "xhigh"),
    effort="medium",
    temperature="none",
    phase=True,
    reports_cache_writes=True,
)
GPT_62 = replace(
    GPT_56,
    id="gpt-6.2-sol",
    prices=prices("2", "10", write_factor="5/4", long=LONG_OPENAI),
    efforts=("low", "medium", "high", "xhigh"),
    created="2026-11-17",
)

CLAUDE_45 = _claude(
    "claude-haiku-4-5-20251001",
    prices("1", "5", write_factor="5/4"),
    Thinking(("enabled", "disabled"), display="summarized"),
    efforts=(),
    effort="",
    forced="not with enabled",
    temperature="not with top_p",
    prefill=True,
    max_input=200_000,
    max_output=64_000,
    cache_minimum=4_096,
)
CLAUDE_46 = _claude(
    "claude-opus-4-6",
    prices("5", "25", write_factor="5/4"),
    Thinking(("adaptive", "enabled", "disabled"), display="summarized"),
    efforts=("low", "medium", "high", "max"),
    forced="not with enabled",
    cache_minimum=4_096,
)
CLAUDE_48 = _claude(
    "claude-opus-4-8",
    prices("5", "25", write_factor="5/4"),
    Thinking(("adaptive", "disabled")),
    temperature="only 1",
    cache_minimum=1_024,
)
CLAUDE_5 = _claude(
    "claude-opus-5",
    prices("5", "25", write_factor="5/4"),
    Thinking(("adaptive", "disabled"), default="adaptive", not_off_at=("xhigh", "max")),
    temperature="only 1",
)
CLAUDE_55 = _claude(
    "claude-opus-5-5",
    prices("4", "20", write_factor="5/4"),
    Thinking(("adaptive",), default="adaptive", text_as_thinking=True, bound=True),
    effort="medium",
    forced="no",
    temperature="none",
    created="2026-09-22",
)
SONNET_55 = _claude(
    "claude-sonnet-5-5",
    prices("2", "10", write_factor="5/4"),
    Thinking(("adaptive", "between_tools"), default="adaptive", text_as_thinking=True, bound=True, account_bound=True),
    forced="no",
    temperature="none",
    created="2026-09-28",
)
HAIKU_55 = _claude(
    "claude-haiku-5-5",
    prices("0.10", "0.50", write_factor="5/4", long=(100_000, "5", "5")),
    Thinking(
        ("adaptive", "disabled"),
        default="adaptive",
        text_as_thinking=True,
        not_off_at=("xhigh", "max"),
        bound=True,
        account_bound=True,
    ),
    effort="medium",
    temperature="none",
    created="2026-10-07",
)

GEMINI = _chat(
    "gemini-4-argon",
    "google",
    prices("2", "10"),
    ChatForm(
        thinking="signature", echo="required", usage="google", refuses_unknown_fields=True, fields=("extra_body",)
    ),
    efforts=("low", "medium", "high"),
    effort="medium",
    temperature_advice=False,
    context=1_000_000,
    tiers=HALF_BY_FLEX,
)
GEMINI_25 = replace(
    GEMINI,
    id="gemini-2.5-pro",
    prices=prices("1.25", "10"),
    efforts=("minimal", "low", "medium", "high"),
    shutdown_date="2026-12-01",
    replaced_by=replace(GEMINI, id="gemini-3.8-flash", prices=prices("0.75", "3.75")),
)
GROK = Model(
    "grok-4.7",
    "xai",
    ("responses", "chat"),
    prices("2", "6", long=(200_000, "2", "2")),
    efforts=("low", "medium", "high"),
    effort="high",
    needs_reasoning=False,
    chat=ChatForm(thinking="reasoning_content"),
    max_input=500_000,
)
DEEPSEEK = _chat(
    "deepseek-v4-pro",
    "deepseek",
    prices("0.5", "2"),
    ChatForm(thinking="reasoning_content", echo="required", usage="deepseek", fields=("thinking",), **OLDER_CAP),
    efforts=("low", "medium", "high", "xhigh", "max"),
    effort="high",
    forced="not while thinking",
)
KIMI = _chat(
    "kimi-k3.1-pro",
    "moonshot",
    prices("2", "10"),
    ChatForm(thinking="reasoning_content", echo="required", usage="moonshot"),
    efforts=("low", "high", "max"),
    effort="max",
    temperature="only 1",
)
QWEN = _chat(
    "qwen3.8-max",
    "qwen",
    prices("1.2", "6"),
    ChatForm(thinking="reasoning_content", fields=("enable_thinking",)),
    efforts=("low", "medium", "high"),
    effort="medium",
    forced="no",
)
GLM = _chat(
    "GLM-5.3",
    "zhipu",
    prices("1.40", "4.40"),
    ChatForm(thinking="reasoning_content", fields=("thinking",), **OLDER_CAP),
    efforts=("low", "medium", "high"),
    effort="medium",
)
MISTRAL = _chat(
    "mistral-large-4",
    "mistral",
    prices("0.70", "2.10"),
    ChatForm(
        thinking="parts", echo="required", user_after_tool=False, nine_letter_ids=True, refuses_unknown_fields=True
    ),
    efforts=("none", "high"),
    effort="high",
)

FAMILIES: dict[str, Model] = {
    card.id: card
    for card in (
        *(GPT_41, GPT_54, GPT_56, GPT_62, CLAUDE_45, CLAUDE_46, CLAUDE_48, CLAUDE_5, CLAUDE_55, SONNET_55, HAIKU_55),
        *(GEMINI, GROK, DEEPSEEK, KIMI, QWEN, GLM, MISTRAL),
    )
}
"""Every row of the market by the id of its model."""

SERVERS: dict[str, Model] = {
    "openrouter": _chat(
        "anthropic/claude-opus-5.5",
        "openrouter",
        prices("4", "20"),
        ChatForm(thinking="reasoning_details", fields=("reasoning", "provider")),
        efforts=("low", "medium", "high"),
        effort="medium",
        forced="no",
    ),
    "vllm": _chat(
        "Qwen/Qwen3-8B",
        "vllm",
        prices("0", "10"),
        ChatForm(thinking="reasoning"),
        efforts=("high",),
        effort="high",
        context=8_192,
    ),
    "no-system-role": _chat("google/gemma-2-9b-it", "vllm", prices("1", "2"), ChatForm(system_role=False)),
}
"""Routers and servers of one's own, with their peculiarities."""
