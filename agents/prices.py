"""Cost of a query from the prices of a model in dollars per million tokens, with tiers for long inputs."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from agents.llm import Usage

NANO_PER_TOKEN = 1000
"""Billionths of a dollar per token that equal one dollar per million tokens."""

CHEAPER = 2
"""Divisor of the price for a line of a batch, and for a call answered in the tier FLEX."""

HOUR_FACTOR = 2
"""Anthropic's price of input written to its cache for an hour, as a multiple of the input price."""


def half_nano(nano: int) -> int:
    """The cost of a line of a batch, or of a call in the tier FLEX, rounded up. `nano`: the cost of the usual call."""
    return -(-nano // CHEAPER)


@dataclass(frozen=True)
class Rates:
    """Dollars per million tokens. Cached input without a price of its own costs as much as other input."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    cache_write: Decimal | None = None

    def nano(self, usage: Usage) -> int:
        """The cost of a query in billionths of a dollar, rounded up."""
        fresh = max(0, usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens)
        written = self.input if self.cache_write is None else self.cache_write
        for_an_hour = written if self.cache_write is None else HOUR_FACTOR * self.input
        dollars = (
            fresh * self.input
            + usage.cached_tokens * (self.input if self.cached is None else self.cached)
            + (usage.cache_write_tokens - usage.cache_hour_tokens) * written
            + usage.cache_hour_tokens * for_an_hour
            + usage.output_tokens * self.output
        )
        return math.ceil(dollars * NANO_PER_TOKEN)

    def most_nano(self, input_tokens: int, output_tokens: int) -> int:
        """Upper bound of the cost, whatever part of the input is read from or written to a cache."""
        dearest = max(price for price in (self.input, self.cached, self.cache_write) if price is not None)
        return math.ceil((input_tokens * dearest + output_tokens * self.output) * NANO_PER_TOKEN)


@dataclass(frozen=True)
class PriceList:
    """Prices of a model. `tiers` are (tokens, rates): queries with more input tokens are charged wholly at these rates."""

    base: Rates
    tiers: tuple[tuple[int, Rates], ...] = ()

    def rates(self, input_tokens: float) -> Rates:
        """The rates of a query with this many input tokens, cached or not."""
        passed = [(above, rates) for above, rates in self.tiers if input_tokens > above]
        return max(passed, key=lambda tier: tier[0])[1] if passed else self.base

    def nano(self, usage: Usage) -> int:
        return self.rates(usage.input_tokens).nano(usage)

    def thinking_nano(self, usage: Usage) -> int:
        """The part of the cost that is for thinking, in billionths of a dollar."""
        thinking = Usage(output_tokens=min(usage.reasoning_tokens, usage.output_tokens))
        return self.rates(usage.input_tokens).nano(thinking)

    def most_nano(self, input_tokens: int, output_tokens: int) -> int:
        """Upper bound of the cost of a query with at most this many tokens. It may fall into any lower tier."""
        reachable: Iterable[Rates] = (rates for above, rates in self.tiers if input_tokens > above)
        return max(rates.most_nano(input_tokens, output_tokens) for rates in (self.base, *reachable))
