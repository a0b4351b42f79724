"""Invariant I4, and the end of I5: the site's books against the provider's bill, to the billionth of a dollar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.faults.books import Books

if TYPE_CHECKING:
    from tests.faults.checker import Evidence
    from tests.faults.matching import Row

KEPT_APART = ("runs_run", "runs_experiment", "runs_exchange", "runs_period")


def books_reserve(books: Books) -> bool:
    """Whether the site reserves money before a call, and so books calls of unknown outcome at all."""
    return books.has("runs_exchange", "reserved_nano")


def ledger_is_the_bill(evidence: Evidence) -> list[str]:
    """I4: replies are booked at their price, unknown outcomes at no less, and every sum is the sum of its rows."""
    found = [
        f"The provider billed {line.cost_nano} for {line.kind} {line.serial} ({line.action}, step {line.step}),"
        " which no row stands for."
        for line in evidence.matched.strangers
    ]
    reserves = books_reserve(evidence.books)
    found += [sentence for row in evidence.matched.rows if (sentence := _booked_wrong(row, reserves))]
    return found + _sums(evidence.books)


def _booked_wrong(row: Row, reserves: bool) -> str:
    billed = row.billed.cost_nano if row.billed else 0
    what = f"Exchange {row.id} of run {row.run_id} is {row.state}, booked at {row.cost_nano}"
    if row.state in ("replied", "late"):
        if row.billed is None:
            return f"{what}, and stands for no line of the bill."
        return "" if row.cost_nano == billed else f"{what} and billed at {billed}."
    if row.state == "failed" and reserves:
        return "" if row.cost_nano == 0 and billed == 0 else f"{what} and billed at {billed}."
    if row.state == "sent":
        return f"{what} when everything is over."
    return f"{what} and billed at {billed}." if reserves and row.cost_nano < billed else ""


def _sums(books: Books) -> list[str]:
    found = []
    runs = "SELECT r.id, r.cost_nano AS said, COALESCE(SUM(e.cost_nano), 0) AS is_ FROM runs_run r"
    runs += " LEFT JOIN runs_exchange e ON e.run_id = r.id GROUP BY r.id, r.cost_nano"
    found += [f"Run {row['id']}: {_apart(row)}" for row in books.rows(runs) if row["said"] != row["is_"]]
    if books.has("runs_experiment", "cost_nano"):
        query = "SELECT x.id, x.cost_nano AS said, COALESCE(SUM(r.cost_nano), 0) AS is_ FROM runs_experiment x"
        query += " LEFT JOIN runs_run r ON r.experiment_id = x.id GROUP BY x.id, x.cost_nano"
        found += [f"Experiment {row['id']}: {_apart(row)}" for row in books.rows(query) if row["said"] != row["is_"]]
    for table in _others(books):
        query = f"SELECT COALESCE((SELECT SUM(cost_nano) FROM {table}), 0) AS said,"
        query += " COALESCE((SELECT SUM(cost_nano) FROM runs_run), 0) AS is_"
        found += [f"{table}: {_apart(row)}" for row in books.rows(query) if row["said"] != row["is_"]]
    return found


def _apart(row: dict[str, int]) -> str:
    return f"{row['said']} is booked where its parts come to {row['is_']}."


def _others(books: Books) -> list[str]:
    """Tables that keep money besides runs and experiments, such as what an organization spends in a month."""
    return [
        table
        for table, columns in books.columns.items()
        if {"cost_nano", "reserved_nano"} <= columns and table not in KEPT_APART
    ]


def nothing_stays_reserved(books: Books) -> list[str]:
    found = []
    for table, columns in books.columns.items():
        if "reserved_nano" in columns and table != "runs_exchange":
            rows = books.rows(f"SELECT id, reserved_nano AS r FROM {table} WHERE reserved_nano <> 0")
            found += [f"{table} {row['id']} keeps {row['r']} reserved with nothing in flight." for row in rows]
    return found
