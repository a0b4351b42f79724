from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.db import models
from django.db.models import Q, Value

from accounts.deletions import Deletable
from accounts.models import Endpoint, Organization, Provider
from agents.llm import Request, Usage
from agents.options import EFFORTS
from agents.prices import PriceList, Rates
from agents.sizes import DECLARED_OUTPUT_TOKENS, most_input_tokens

FREE = PriceList(Rates(Decimal(0), Decimal(0)))


def rates_of(row: Mapping[str, Any]) -> Rates:
    """The rates of a JSON object with a price, None or nothing for each kind of token."""
    prices: Any = {name: None if row.get(name) is None else Decimal(row[name]) for name in Rates.__annotations__}
    return Rates(**prices)


class PlayerClass(models.TextChoices):
    """The class of a player. By default, tables do not mix classes.

    site: a model or baseline that workers play, in a fresh chat each period
    outside: a program with its own memory and code, which plays through the episode service
    human: a person in the browser, as declared
    """

    SITE = "site", "Played by this site"
    OUTSIDE = "outside", "Outside agent"
    HUMAN = "human", "Person (declared)"


class Agent(Deletable):
    """A baseline, or an LLM with its provider and model id. Prices are in dollars per million tokens.

    Prices are copies, so a newer price list does not change existing agents. `price_source` names the list and its
    version; it is empty for prices that a person entered. `long_input_prices` apply to queries with more input tokens
    than `above`: {"above": 200000, "input": "2.5", "output": "15", "cached": "0.25", "cache_write": null}.

    An `imported` agent is known only from logs: it is listed with its runs and cannot play. Outside agents and people
    play only through the episode service; their `model` is as declared. An archived agent is not offered for launches;
    its runs and results stay. Only an agent without runs can be deleted, so a deleted agent has no results to show.

    learned: what its provider accepts, see agents.providers.learned; empty until the provider has refused something
    calls_at_once: most calls in flight over all workers; None for no limit besides the endpoint's
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
    reasoning_effort = models.CharField(
        max_length=10, choices=[(effort, effort) for effort in EFFORTS], blank=True, default="", db_default=""
    )
    extra_parameters = models.JSONField(default=dict, db_default=Value({}, models.JSONField()), blank=True)
    learned = models.JSONField(default=dict, db_default=Value({}, models.JSONField()), blank=True)
    calls_at_once = models.PositiveIntegerField(null=True, blank=True)
    input_price = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    cached_price = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    cache_write_price = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    output_price = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    long_input_prices = models.JSONField(default=list, db_default=Value([], models.JSONField()), blank=True)
    price_source = models.CharField(max_length=200, blank=True, default="", db_default="")
    priced_on = models.DateField(null=True, blank=True)
    imported = models.BooleanField(default=False, db_default=False)
    player_class = models.CharField(
        max_length=7, choices=PlayerClass, default=PlayerClass.SITE, db_default=PlayerClass.SITE
    )
    release_date = models.DateField(null=True, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "slug"], condition=Q(deleted_at=None), name="one_agent_per_slug"
            )
        ]
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def playable() -> Q:
        """A filter for agents that workers can play."""
        return Q(imported=False, player_class=PlayerClass.SITE)

    @property
    def is_baseline(self) -> bool:
        return bool(self.baseline)

    @property
    def is_outside(self) -> bool:
        """Whether the agent is an outside agent or a person, who play through the episode service."""
        return self.player_class != PlayerClass.SITE

    @property
    def is_priced(self) -> bool:
        return self.input_price is not None and self.output_price is not None

    @property
    def prices(self) -> PriceList | None:
        """The prices of the agent, None if they are not known."""
        if self.input_price is None or self.output_price is None:
            return None
        return PriceList(
            Rates(self.input_price, self.output_price, self.cached_price, self.cache_write_price),
            tuple((stored["above"], rates_of(stored)) for stored in self.long_input_prices),
        )

    @property
    def prices_in_words(self) -> str:
        """The prices in words: '$1.25 in, $0.125 cached, $10 out a million tokens'."""
        labelled_prices = (("in", self.input_price), ("cached", self.cached_price), ("out", self.output_price))
        texts = [f"${Decimal(price).normalize():f} {label}" for label, price in labelled_prices if price is not None]
        dearer = ", dearer for long inputs" if self.long_input_prices else ""
        return f"{', '.join(texts)} a million tokens{dearer}" if texts else "no prices"

    def cost_nano(self, usage: Usage) -> int:
        """The cost of a query in billionths of a dollar. 0 if no price is known."""
        return (self.prices or FREE).nano(usage)

    def thinking_nano(self, usage: Usage) -> int:
        """The part of `cost_nano` that is spent on thinking."""
        return (self.prices or FREE).thinking_nano(usage)

    def most_nano(self, request: Request) -> int:
        """The declared maximum cost of a query in billionths of a dollar. It is reserved before the query is sent."""
        most_output_tokens = self.max_tokens or DECLARED_OUTPUT_TOKENS
        return self.prices.most_nano(most_input_tokens(request), most_output_tokens) if self.prices else 0
