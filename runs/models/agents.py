from __future__ import annotations

import math

from django.db import models

from accounts.models import Endpoint, Organization, Provider
from agents.llm import Request, Usage
from agents.sizes import most_input_tokens

DECLARED_OUTPUT_TOKENS = 32_000
"""What a call is taken to write at most where its agent has no limit of its own."""


class Agent(models.Model):
    """Who plays: a baseline, or an LLM by provider and model id. Prices are in dollars per million tokens.

    An `imported` agent is known from logs alone: it is listed with its runs and can play nothing here.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="agents")
    slug = models.CharField(max_length=200)
    name = models.CharField(max_length=100)
    baseline = models.CharField(max_length=60, blank=True)
    provider = models.CharField(max_length=20, choices=Provider, blank=True)
    model = models.CharField(max_length=200, blank=True)
    endpoint = models.ForeignKey(Endpoint, models.PROTECT, null=True, blank=True, related_name="agents")
    reasoning = models.BooleanField(default=False)
    temperature = models.FloatField(null=True, blank=True, default=1.0)
    max_tokens = models.PositiveIntegerField(null=True, blank=True)
    input_price = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    cached_price = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    cache_write_price = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    output_price = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    priced_on = models.DateField(null=True, blank=True)
    imported = models.BooleanField(default=False, db_default=False)
    release_date = models.DateField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "slug"], name="one_agent_per_slug")]
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_baseline(self) -> bool:
        return bool(self.baseline)

    @property
    def is_priced(self) -> bool:
        return self.input_price is not None and self.output_price is not None

    def cost_nano(self, usage: Usage) -> int:
        """What a query cost, in billionths of a dollar; 0 where no price is known.

        A dollar per million tokens is a thousand billionths a token. Input read from or written to the provider's cache
        costs as other input where it has no price of its own.
        """
        if not self.is_priced:
            return 0
        read_price = self.input_price if self.cached_price is None else self.cached_price
        write_price = self.input_price if self.cache_write_price is None else self.cache_write_price
        fresh = usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens
        dollars = (
            fresh * self.input_price
            + usage.cached_tokens * read_price
            + usage.cache_write_tokens * write_price
            + usage.output_tokens * self.output_price
        )
        return math.ceil(dollars * 1000)

    def most_nano(self, request: Request) -> int:
        """The declared maximum of a query, in billionths of a dollar: reserved before it is sent."""
        if not self.is_priced:
            return 0
        prices = [self.input_price, self.cached_price, self.cache_write_price]
        dearest = max(price for price in prices if price is not None)
        output = self.max_tokens or DECLARED_OUTPUT_TOKENS
        return math.ceil((most_input_tokens(request) * dearest + output * self.output_price) * 1000)
