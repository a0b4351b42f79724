"""The rows of one transaction. Entries decide what to write, then all rows are written in few statements."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from django.db import connection, models
from django.utils import timezone

from environments.base import Outcome
from infrastructure.transactions import insert_many, update_many
from runs.engine.writing.budget_accounts import Accounts, book, reserve
from runs.models import Exchange, Run
from runs.models.records import ANSWERED

TOKENS = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
TOTALS = (*TOKENS, "thinking_nano")
"""Columns that a reply adds to the totals of its period and its run, besides its cost."""

SETTLED = ("state", "reply", "error", "seconds", *TOTALS, "cost_nano")
RUN_SUMS = ("cost_nano", "reserved_nano", *TOTALS, "queries")

PLAYED = (
    "periods_played = %s, last_quality = %s, "
    "best_quality = CASE WHEN best_quality IS NULL OR best_quality < %s THEN %s ELSE best_quality END, progressed_at = %s"
)


class Batch:
    """Collects rows while the runs and their budgets are locked.

    afterwards: callbacks to call once all rows are written
    """

    def __init__(self, run_ids: set[int], months: set[date]):
        self.accounts = Accounts(run_ids, months)
        self.afterwards: list[Callable[[], object]] = []
        self._new: dict[type[models.Model], list[models.Model]] = {}
        self._settled: list[list[Any]] = []
        self._results: list[list[Any]] = []
        self._replies: list[list[Any]] = []
        self._played_periods: list[list[Any]] = []
        self._sums: dict[int, dict[str, int]] = {}

    def insert(self, *rows: models.Model) -> None:
        for row in rows:
            self._new.setdefault(type(row), []).append(row)

    def end_period(
        self, run_id: int, outcome: Outcome, results: Sequence[list[Any]], replies: Sequence[list[Any]]
    ) -> None:
        """Add the end of a period.

        results: [compressed tool results, exchange id] for each exchange with results
        replies: [compressed reply, exchange id] for each reply that is shortened at the end of the period
        """
        quality = outcome.quality
        self._played_periods.append([outcome.period + 1, quality, quality, quality, _now(), run_id])
        self._results += results
        self._replies += replies

    def reserve(self, exchange: Exchange) -> Exception | None:
        """Reserve a call's maximum cost in every account that pays for it.

        If one account refuses, reserve nothing and return the refusal.
        """
        refusal = reserve(self.accounts.paying(exchange.run_id, exchange.created_at), exchange.reserved_nano)
        if refusal is None:
            self._add(exchange.run_id, reserved_nano=exchange.reserved_nano)
            exchange.pk = None  # a rolled-back attempt may have set it
            self.insert(exchange)
        return refusal

    def settle(self, exchange: Exchange, reply: bytes | None, *, open: bool = True, booked: int = 0) -> None:
        """Book the cost of a call.

        reply: the compressed reply
        open: whether the call still has its reservation, which is then freed
        booked: cost that was already booked for the call
        """
        freed = exchange.reserved_nano if open else 0
        spent = exchange.cost_nano - booked
        book(self.accounts.paying(exchange.run_id, exchange.created_at), spent, freed)
        self._add(exchange.run_id, cost_nano=spent, reserved_nano=-freed)
        if exchange.state in ANSWERED:
            self._add(exchange.run_id, queries=1, **{name: getattr(exchange, name) for name in TOTALS})
        values = {name: getattr(exchange, name) for name in SETTLED}
        values |= {"state": str(exchange.state), "reply": reply}
        self._settled.append([*values.values(), exchange.pk])

    def write(self) -> None:
        for rows in self._new.values():
            insert_many(rows)
        update_many(Exchange, ", ".join(f"{name} = %s" for name in SETTLED), self._settled)
        update_many(Exchange, "results = %s", self._results)
        update_many(Exchange, "reply = %s", self._replies)
        now = _now()
        update_many(
            Run,
            ", ".join(f"{name} = {name} + %s" for name in RUN_SUMS) + ", progressed_at = %s",
            [[*(sums[name] for name in RUN_SUMS), now, run_id] for run_id, sums in sorted(self._sums.items())],
        )
        update_many(Run, PLAYED, self._played_periods)
        self.accounts.write()
        for action in self.afterwards:
            action()

    def _add(self, run_id: int, **sums: int) -> None:
        row = self._sums.setdefault(run_id, dict.fromkeys(RUN_SUMS, 0))
        for name, value in sums.items():
            row[name] += value


def _now() -> Any:
    return connection.ops.adapt_datetimefield_value(timezone.now())
