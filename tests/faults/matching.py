"""Which row of the journal stands for which line of the provider's bill."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.faults.books import unpacked
from tests.faults.stub_bill import SERIAL, Billed

ACTIONS = {
    "procurement": "submit_purchase_plan",
    "scheduling": "submit_assignment",
    "pricing": "set_prices",
    "efficiency_vs_equality": "submit_assignment",
    "collusiveness_vs_competitiveness": "set_prices",
    "patience_vs_impatience": "answer",
}
CLOCKS_APART = 0.1


@dataclass
class Row:
    """An exchange with its run's game and model. billed: the line of the bill that it stands for, if any does."""

    id: int
    run_id: int
    place: tuple[Any, ...]
    send: int
    fence: int
    state: str
    cost_nano: int
    at: float
    seconds: float | None
    environment: str
    model: str
    serial: int | None
    billed: Billed | None = None


@dataclass
class Matched:
    rows: list[Row]
    unknown_serials: list[int] = field(default_factory=list)
    twice: list[int] = field(default_factory=list)
    strangers: list[Billed] = field(default_factory=list)
    """Lines of the bill that no row stands for."""


QUERY = (
    "SELECT e.id, e.run_id, e.period_index, e.seat, e.attempt, e.step, e.send, e.fence, e.state, e.reply, e.error,"
    " e.cost_nano, e.created_at, e.seconds, i.environment, a.model FROM runs_exchange e JOIN runs_run r ON r.id = e.run_id"
    " JOIN runs_instance i ON i.id = r.instance_id JOIN runs_agent a ON a.id = r.agent_id ORDER BY e.id"
)


AS_STORED = ("id", "run_id", "send", "fence", "state", "cost_nano", "seconds", "environment", "model")


def read_rows(books):
    return [
        Row(
            **{name: row[name] for name in AS_STORED},
            place=(row["run_id"], row["period_index"], row["seat"], row["attempt"], row["step"]),
            at=seconds_of(row["created_at"]),
            serial=_serial(row),
        )
        for row in books.rows(QUERY)
    ]


def _serial(row):
    text = unpacked(row["reply"])["model"] if row["reply"] is not None else row["error"] or ""
    found = SERIAL.search(text)
    return int(found[1]) if found else None


def seconds_of(moment):
    """A time of the database as seconds since 1970; SQLite has text without a zone."""
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    return float(moment.timestamp())


def match(rows, bill, *, clocks_agree):
    """By number where the answer came home; by game, step and time where it did not."""
    matched = Matched(rows)
    taken = set()
    for row in rows:
        if row.serial is None:
            continue
        if row.serial >= len(bill):
            matched.unknown_serials.append(row.id)
        elif row.serial in taken:
            matched.twice.append(row.serial)
        else:
            taken.add(row.serial)
            row.billed = bill[row.serial]
    open_rows = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.at):
        if row.serial is None and row.state != "sent":
            open_rows[_signature(row.model, ACTIONS[row.environment], row.place[-1])].append(row)
    for line in bill:
        if line.serial in taken:
            continue
        candidates = open_rows[_signature(line.model, line.action, line.step)]
        latest = max(line.at + CLOCKS_APART, 0) if clocks_agree else float("inf")
        place = next((i for i in reversed(range(len(candidates))) if candidates[i].at <= latest), None)
        if place is None:
            matched.strangers.append(line)
        else:
            candidates.pop(place).billed = line
    return matched


def _signature(model, action, step):
    # Each question of a survey is a separate chat.
    return (model, action) if action == "answer" else (model, action, step)
