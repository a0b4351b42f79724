"""Model cards: what a family of models accepts, how it thinks, and what its tokens cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

NANO_PER_TOKEN = 1000
"""A dollar per million tokens is a thousand billionths of a dollar per token."""


@dataclass(frozen=True)
class Usage:
    """Tokens of one answer. `fresh` is input neither read from a cache nor written to it; thinking is not `visible`."""

    fresh: int = 0
    cached: int = 0
    written: int = 0
    written_1h: int = 0
    visible: int = 0
    thinking: int = 0

    @property
    def input(self) -> int:
        return self.fresh + self.cached + self.written + self.written_1h

    @property
    def output(self) -> int:
        return self.visible + self.thinking


@dataclass(frozen=True)
class Prices:
    """Dollars per million tokens. `long` is (input tokens, factor of input, factor of output) for longer inputs."""

    input: Fraction
    output: Fraction
    cached: Fraction
    written: Fraction
    written_1h: Fraction
    long: tuple[int, Fraction, Fraction] | None = None

    def nano(self, usage: Usage, factor: Fraction = Fraction(1)) -> Fraction:
        """Billionths of a dollar, exactly. `factor` is that of the service tier or of a batch."""
        above, of_input, of_output = self.long or (usage.input, Fraction(1), Fraction(1))
        if usage.input <= above:
            of_input = of_output = Fraction(1)
        read = usage.fresh * self.input + usage.cached * self.cached
        written = usage.written * self.written + usage.written_1h * self.written_1h
        dollars = (read + written) * of_input + usage.output * self.output * of_output
        return dollars * NANO_PER_TOKEN * factor


def prices(input: str, output: str, *, cached: str = "", write_factor: str = "1", long=None) -> Prices:
    """Prices from decimal texts. Cached input costs a tenth of other input, where nothing else is said."""
    dollars = Fraction(input)
    if long:
        long = (long[0], Fraction(long[1]), Fraction(long[2]))
    written = dollars * Fraction(write_factor)
    return Prices(
        dollars, Fraction(output), Fraction(cached) if cached else dollars / 10, written, dollars * 2, long=long
    )


@dataclass(frozen=True)
class Thinking:
    """How a model thinks in the Messages interface.

    types: values of `thinking.type` it accepts; default: the one that counts if none is sent
    display: what `display` counts as if it is not sent, "summarized" or "omitted"
    not_off_at: efforts that refuse `disabled` and `between_tools`
    text_as_thinking: text beside calls comes as a thinking block
    bound: blocks are refused when system, tools or a message before them changed; account_bound: under another key too
    """

    types: tuple[str, ...]
    default: str = "disabled"
    display: str = "omitted"
    not_off_at: tuple[str, ...] = ()
    text_as_thinking: bool = False
    bound: bool = False
    account_bound: bool = False


@dataclass(frozen=True)
class ChatForm:
    """Special behaviour of a model in the Chat Completions interface.

    thinking: where a message carries it: reasoning_content, reasoning, reasoning_details, parts (of the content,
        Mistral), signature (of each call, Gemini), or "" for hidden
    echo: what happens to calls that come back without their thinking: "required" (refused) or "remark" (accepted)
    usage: form of the usage: openai, google (thinking only in the total), deepseek or moonshot
    caps: names of the output limit
    ignores_other_cap: the other name limits nothing; else it is refused
    """

    thinking: str = ""
    echo: str = "remark"
    usage: str = "openai"
    caps: tuple[str, ...] = ("max_tokens", "max_completion_tokens")
    ignores_other_cap: bool = False
    user_after_tool: bool = True
    system_role: bool = True
    nine_letter_ids: bool = False
    refuses_unknown_fields: bool = False
    fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class Model:
    """One model. `maker` decides the form of errors and of the models endpoint.

    wires: interfaces that take it, the advised one first: "responses", "messages", "chat"
    efforts, effort: values it accepts and the default; "none" as effort means that it does not think
    forced: whether a tool can be forced: "yes", "no", "not while thinking", "not with enabled"
    temperature: "any", "only 1", "none", "without effort" (effort none only), "not with top_p"
    temperature_advice: whether the makers' advice allows a temperature; if not, one is remarked
    tiers: service tiers with the factor of their price
    context: tokens of input and output together, 0 for separate limits
    responds_as: id that its answers name, if another
    replaced_by: the model that answers after shutdown_date; without one, calls give 404
    versions: accepted values of `anthropic-version`; empty accepts all
    needs_reasoning: a call whose reasoning item was left out is refused (Responses)
    foreign_reasoning: reasoning of another key or model is "removed" or "refused" (Responses)
    sealed: characters of encrypted reasoning (Responses)
    """

    id: str
    maker: str
    wires: tuple[str, ...]
    prices: Prices
    efforts: tuple[str, ...] = ()
    effort: str = "none"
    forced: str = "yes"
    temperature: str = "any"
    temperature_advice: bool = True
    thinking: Thinking | None = None
    chat: ChatForm = field(default_factory=ChatForm)
    phase: bool = False
    reports_cache_writes: bool = False
    encrypted_by_default: bool = True
    summaries: bool = True
    needs_reasoning: bool = True
    foreign_reasoning: str = "removed"
    sealed: int = 68
    prefill: bool = False
    max_input: int = 1_000_000
    max_output: int = 128_000
    context: int = 0
    cache_minimum: int = 0
    tiers: tuple[tuple[str, Fraction], ...] = (("auto", Fraction(1)), ("default", Fraction(1)))
    lifecycle: str = "active"
    created: str = "2026-01-01"
    shutdown_date: str = ""
    responds_as: str = ""
    replaced_by: Model | None = None
    versions: tuple[str, ...] = ("2023-06-01", "2026-10-21")

    @property
    def reasons(self) -> bool:
        return bool(self.efforts) and self.efforts != ("none",)

    def at(self, today: str) -> Model | None:
        """The model that answers on this day (YYYY-MM-DD); None if none does any more."""
        gone = self.lifecycle == "retired" or (self.shutdown_date and self.shutdown_date <= today)
        return self.replaced_by if gone else self
