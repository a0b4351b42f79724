"""The two transactions of a call: its intent before it is sent (T1), what came of it afterwards (T2). What ends a period
is in period_entries.py.

Many calls share one transaction: see group_commit.py. Each entry is decided in memory while the rows it touches
are locked, then all are written at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.db import connection, models
from django.utils import timezone

from environments.base import Outcome
from infrastructure.fields import compressed
from infrastructure.transactions import insert_many, update_many, write_transaction
from runs.engine.lease import LeaseLost
from runs.engine.writing.budget_accounts import Accounts, month_of
from runs.models import Exchange, ExchangeState, Run

TOTALS = ("input_tokens", "cached_tokens", "output_tokens")
"""Tokens that a reply adds to its period and its run."""

SETTLED = ("state", "reply", "error", "seconds", *TOTALS, "cost_nano")
RUN_SUMS = ("cost_nano", "reserved_nano", *TOTALS, "queries")


class Interrupted(Exception):
    """A person wishes the run paused or cancelled, or the worker is asked to stop."""


@dataclass
class Entry(ABC):
    """Something to write for a run held under `fence`. `refusal` is why it was not, where it was not."""

    run_id: int
    fence: int
    refusal: Exception | None = field(default=None, init=False)

    @abstractmethod
    def enter(self, books: Books) -> None:
        """Decide what to write; may be called again where the transaction failed."""

    @property
    def moments(self) -> list[datetime]:
        """When the calls concerned were begun: their month is what pays for them."""
        return []


@dataclass
class Intent(Entry):
    """A call about to be sent: its maximum is reserved in every budget that pays for it."""

    exchange: Exchange

    @property
    def moments(self) -> list[datetime]:
        return [self.exchange.created_at]

    def enter(self, books: Books) -> None:
        run = books.accounts.runs.get(self.run_id)
        if run is None or run["fence"] != self.fence:
            self.refusal = LeaseLost()
        elif run["wish"]:
            self.refusal = Interrupted()
        else:
            self.refusal = books.reserve(self.exchange)


@dataclass
class Settlement(Entry):
    """What came of a call, with what is booked for it.

    Where the lease was lost meanwhile, a reply is booked as late and nothing else is written. Tried again because nobody
    heard whether the first commit succeeded, it books nothing that is booked.
    """

    exchange: Exchange
    tried: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        # Here, and not while others wait for the transaction.
        self._reply = None if self.exchange.reply is None else compressed(self.exchange.reply)

    @property
    def moments(self) -> list[datetime]:
        return [self.exchange.created_at]

    def enter(self, books: Books) -> None:
        run = books.accounts.runs.get(self.run_id)
        ours = run is not None and run["fence"] == self.fence
        again, self.tried = self.tried, True
        if ours and not again:
            books.settle(self.exchange, self._reply)
            return
        stored = Exchange.objects.filter(pk=self.exchange.pk).values_list("state", "cost_nano").first()
        if ours:
            if stored is not None and stored[0] == ExchangeState.SENT:
                books.settle(self.exchange, self._reply)
            return
        self.refusal = LeaseLost()
        if stored is None or stored[0] not in (ExchangeState.SENT, ExchangeState.LOST):
            return
        if self.exchange.state == ExchangeState.REPLIED:
            self.exchange.state = ExchangeState.LATE
            self.exchange.error = "The reply came after another worker had taken the run over."
        books.settle(self.exchange, self._reply, open=stored[0] == ExchangeState.SENT, booked=stored[1])


@dataclass
class Orphans(Entry):
    """Calls sent under an earlier fence whose outcome was never written: taken from the spool, else lost.

    The calls of workers that are gone were begun at unknown times, so `begun` has to be read before.
    """

    spooled: dict[int, dict[str, Any]]
    begun: list[datetime] = field(default_factory=list)
    closed: list[Exchange] = field(default_factory=list, init=False)

    @property
    def moments(self) -> list[datetime]:
        return self.begun

    def enter(self, books: Books) -> None:
        run = books.accounts.runs.get(self.run_id)
        if run is None or run["fence"] != self.fence:
            self.refusal = LeaseLost()
            return
        self.closed = list(Exchange.objects.filter(run=self.run_id, state=ExchangeState.SENT, fence__lt=self.fence))
        for exchange in self.closed:
            for name, value in self.spooled.get(exchange.pk, lost(exchange)).items():
                setattr(exchange, name, value)
            books.settle(exchange, None if exchange.reply is None else compressed(exchange.reply))


def lost(exchange: Exchange) -> dict[str, Any]:
    return {
        "state": ExchangeState.LOST,
        "error": "The worker stopped before the reply was stored; booked at its declared maximum.",
        "cost_nano": exchange.reserved_nano,
    }


class Books:
    """One transaction's writing. afterwards: what is done last, when all rows are written."""

    def __init__(self, run_ids: set[int], months: set[date]):
        self.accounts = Accounts(run_ids, months)
        self.afterwards: list[Callable[[], None]] = []
        self._new: dict[type[models.Model], list[models.Model]] = {}
        self._settled: list[list[Any]] = []
        self._results: list[list[Any]] = []
        self._played: list[list[Any]] = []
        self._sums: dict[int, dict[str, int]] = {}

    def insert(self, *rows: models.Model) -> None:
        for row in rows:
            self._new.setdefault(type(row), []).append(row)

    def end_period(self, run_id: int, outcome: Outcome, results: Sequence[list[Any]]) -> None:
        """results: answers to the calls of exchanges, compressed, each with the number of its exchange"""
        self._played.append([outcome.period + 1, outcome.quality, _now(), run_id])
        self._results += results

    def reserve(self, exchange: Exchange) -> Exception | None:
        """Set a call's maximum aside in every account that pays for it, or in none; the reason then."""
        paying = self.accounts.paying(exchange.run_id, exchange.created_at)
        amount = exchange.reserved_nano
        refusal = next(filter(None, (account.refusal(amount) for account in paying)), None)
        if refusal is None:
            for account in paying:
                account.held += amount
            self._add(exchange.run_id, reserved_nano=amount)
            exchange.pk = None  # an attempt that was rolled back may have numbered it
            self.insert(exchange)
        return refusal

    def settle(self, exchange: Exchange, reply: bytes | None, *, open: bool = True, booked: int = 0) -> None:
        """Book what a call cost instead of what was reserved (`open`) or booked for it before. reply: compressed"""
        freed = exchange.reserved_nano if open else 0
        spent = exchange.cost_nano - booked
        for account in self.accounts.paying(exchange.run_id, exchange.created_at):
            account.held -= freed
            account.spent += spent
        self._add(exchange.run_id, cost_nano=spent, reserved_nano=-freed)
        if exchange.state == ExchangeState.REPLIED:
            self._add(exchange.run_id, queries=1, **{name: getattr(exchange, name) for name in TOTALS})
        values = {name: getattr(exchange, name) for name in SETTLED}
        values |= {"state": str(exchange.state), "reply": reply}
        self._settled.append([*values.values(), exchange.pk])

    def _add(self, run_id: int, **sums: int) -> None:
        row = self._sums.setdefault(run_id, dict.fromkeys(RUN_SUMS, 0))
        for name, value in sums.items():
            row[name] += value

    def write(self) -> None:
        for rows in self._new.values():
            insert_many(rows)
        update_many(Exchange, ", ".join(f"{name} = %s" for name in SETTLED), self._settled)
        update_many(Exchange, "results = %s", self._results)
        now = _now()
        update_many(
            Run,
            ", ".join(f"{name} = {name} + %s" for name in RUN_SUMS) + ", progressed_at = %s",
            [[*(sums[name] for name in RUN_SUMS), now, run_id] for run_id, sums in sorted(self._sums.items())],
        )
        update_many(Run, "periods_played = %s, last_quality = %s, progressed_at = %s", self._played)
        self.accounts.write()
        for last in self.afterwards:
            last()


def _now() -> Any:
    return connection.ops.adapt_datetimefield_value(timezone.now())


def write(entries: Sequence[Entry]) -> None:
    """Write entries in one transaction. Raises DatabaseError, then none of them is written."""
    months = {month_of(moment) for entry in entries for moment in entry.moments}
    with write_transaction():
        books = Books({entry.run_id for entry in entries}, months)
        for entry in entries:
            entry.refusal = None
            entry.enter(books)
        books.write()


def begun(run_id: int, fence: int) -> list[datetime]:
    """When the calls without an outcome were begun that earlier holders of the run's lease sent."""
    open_calls = Exchange.objects.filter(run=run_id, state=ExchangeState.SENT, fence__lt=fence)
    return list(open_calls.values_list("created_at", flat=True))
