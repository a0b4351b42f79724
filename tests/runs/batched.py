"""A small batch survey at an emulated maker, whose address counts as the maker's own."""

import re
from collections import Counter
from decimal import Decimal

from runs.engine.advance import advance
from runs.models import Agent, BatchState, MonthlySpend, Run, RunState, SurveyBatch
from tests.emulators.player import Play

SMALL = {"repetitions": 2, "one_month": 0, "six_months": 0, "one_year": 1, "five_years": 0}
GAME = {"environments": ("patience_vs_impatience",), "difficulties": ("CUSTOM",), "settings": SMALL, "periods": 3}
QUESTIONS = 6
OPENAI, SOL, ANTHROPIC = "gpt-4.1-2025-04-14", "gpt-6.2-sol", "claude-opus-4-8"


class Chooser:
    """Waits for $110 and more; invalid: the first so many answers are none."""

    def __init__(self, invalid=0):
        self.invalid = invalid

    def __call__(self, view):
        ((_, prompt),) = view.messages
        self.invalid -= 1
        if self.invalid >= 0:
            return Play(text="I cannot decide.")
        amount = float(re.search(r"\$([\d.]+) (?:one|1) year", prompt)[1])
        later_is_a = re.search(r"between A: receiving \$100 right now", prompt) is None
        return Play(text=f"<answer>{'A' if (amount >= 110) == later_is_a else 'B'}</answer>")


class Survey:
    """A run by batch and its emulated provider."""

    def __init__(self, run, emulator):
        self.run, self.emulator = run, emulator

    def work(self):
        """A worker takes the run, as soon as it is due."""
        Run.objects.update(wake_at=None)
        advance(self.run.pk)
        self.run.refresh_from_db()
        return self.run.state

    def play(self, rounds=12):
        """Workers and the provider take turns until the run no longer waits."""
        for _ in range(rounds):
            if self.work() not in (RunState.WAITING, RunState.QUEUED):
                break
            self.emulator.batches.advance()
        return self.run.state

    @property
    def batch(self):
        return SurveyBatch.objects.exclude(state=BatchState.ENDED).get()

    @property
    def answered(self):
        """How often the model answered each try of each question."""
        return Counter(name.partition("-")[2] for name in self.emulator.batches.answered.elements())

    def assert_books(self):
        """Run, experiment and month have booked what the provider bills, and nothing stays reserved."""
        for row in (self.run, self.run.experiment, MonthlySpend.objects.get(user=None)):
            row.refresh_from_db()
            assert (row.cost_nano, row.reserved_nano) == (self.emulator.bill.nanodollars, 0)
        full = self.emulator.model.prices.nano
        assert 2 * self.run.cost_nano == sum(full(charge.usage) for charge in self.emulator.bill.charges)


def agent_at_own_address(organization, emulator, **options):
    """The emulator's model with its prices, at an endpoint without a base URL."""
    from accounts.services import endpoint_create
    from runs.services import agent_create

    model = emulator.model
    # A key of its own, since clients of equal endpoints and keys are shared by a process.
    own = {"provider": model.maker, "base_url": "", "key": f"sk-{emulator.url}"}
    endpoint = endpoint_create(organization=organization, name="own", **own)
    values = {"temperature": None, "max_tokens": 2000} | options
    agent = agent_create(organization=organization, name="batcher", endpoint=endpoint, model=model.id, **values)
    cards = {"input": "input", "output": "output", "cached": "cached", "cache_write": "written"}
    prices = {f"{name}_price": Decimal(float(getattr(model.prices, on_card))) for name, on_card in cards.items()}
    # Simulates an earlier run that learned the interface: makers are recognised by their host.
    learned = {"wire": "responses"} if model.id == SOL else {}
    Agent.objects.filter(pk=agent.pk).update(learned=learned, **prices)
    return agent


def lose_first_submission(emulator, *, arrives=True):
    """The provider answers the first new batch with an error, whether or not it keeps the batch."""
    take, lost = emulator.batches.take, []

    def taken(method, path, *rest):
        if method != "POST" or not path.endswith("/batches") or lost:
            return take(method, path, *rest)
        lost.append(take(method, path, *rest) if arrives else None)
        return 502, {"error": {"message": "Bad gateway"}}

    emulator.batches.take = taken
