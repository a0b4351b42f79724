"""The ledger: every call of a model, what was reserved and what is booked for it. Baselines cost nothing and are left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet, Sum

from accounts.models import Organization
from environments.base import SINGLE_SEAT
from environments.registry import ENVIRONMENTS
from runs.models import Agent, Exchange, ExchangeState, Experiment, Run
from runs.models.records import WASTE
from runs.selectors.outcomes import LABELS, Outcome, outcome

PAGE_SIZE = 50
CSV_BLOCK = 500
SORTS = {"time": "created_at", "cost": "cost_nano"}
STATES = {"waste": WASTE} | {str(state): (state,) for state in ExchangeState}
FIRST_SEAT = Q(seat=SINGLE_SEAT)


@dataclass(frozen=True)
class LedgerFilter:
    """What to list: of an organization, or of one experiment, run or agent. `state` is a key of STATES or empty."""

    organization: Organization
    experiment: Experiment | None = None
    run: Run | None = None
    agent: Agent | None = None
    state: str = ""
    sort: str = "-time"

    @property
    def is_narrowed(self) -> bool:
        return bool(self.run or self.agent or self.state)


@dataclass
class Totals:
    """calls, booked and reserved by state; amounts are billionths of a dollar, reserved is for calls in flight"""

    calls: dict[str, int] = field(default_factory=dict)
    booked: dict[str, int] = field(default_factory=dict)
    reserved_nano: int = 0

    def count(self, state: str = "") -> int:
        return sum(number for name, number in self.calls.items() if not state or name in STATES[state])

    @property
    def all_calls(self) -> int:
        return self.count()

    @property
    def in_flight(self) -> int:
        return self.calls.get(ExchangeState.SENT, 0)

    @property
    def booked_nano(self) -> int:
        return sum(self.booked.values())

    @property
    def waste_nano(self) -> int:
        return sum(self.booked.get(state, 0) for state in WASTE)

    @property
    def waste_kinds(self) -> list[tuple[str, int, int]]:
        """(kind, calls, billionths of a dollar) of each kind there is."""
        return [
            (LABELS[state], self.calls[state], self.booked.get(state, 0)) for state in WASTE if self.calls.get(state)
        ]

    @property
    def choices(self) -> list[tuple[str, str, int]]:
        """(state, its name, calls) for the filter."""
        named = [("waste", "waste only"), *((str(state), LABELS[state]) for state in ExchangeState)]
        return [(state, name, self.count(state)) for state, name in named]


@dataclass(frozen=True)
class LedgerRow:
    id: int
    at: datetime
    run_id: int
    experiment_id: int
    agent: str
    period: int
    seat: str
    chat: int
    step: int
    send: int
    outcome: Outcome
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reserved_nano: int
    cost_nano: int
    is_waste: bool
    has_tokens: bool


def totals(wanted: LedgerFilter) -> Totals:
    """One aggregate over the calls, whatever their state: the sums at the top, and how many each filter would show."""
    found = Totals()
    rows = _calls(wanted).values("state").order_by()
    for row in rows.annotate(calls=Count("id"), booked=Sum("cost_nano"), reserved=Sum("reserved_nano")):
        found.calls[row["state"]], found.booked[row["state"]] = row["calls"], row["booked"]
        if row["state"] == ExchangeState.SENT:
            found.reserved_nano = row["reserved"]
    return found


class _Ids(Sequence[int]):
    """Numbers of calls in order, of which there are `total`; those behind the middle are counted from the end."""

    def __init__(self, rows: QuerySet[Any], total: int):
        self._rows, self._total = rows, total

    def __len__(self) -> int:
        return self._total

    def __getitem__(self, part: Any) -> Any:
        start, stop, _ = part.indices(self._total)
        if start < self._total // 2:
            return list(self._rows[start:stop])
        return list(self._rows.reverse()[self._total - stop : self._total - start])[::-1]


def ledger_page(wanted: LedgerFilter, sums: Totals, page: object) -> Page:
    """A page of LedgerRow. Their number is known from the sums, and only the page's rows are read whole."""
    found = Paginator(_Ids(_sorted(wanted), sums.count(wanted.state)), PAGE_SIZE).get_page(page)
    found.object_list = _rows(found.object_list)
    return found


def ledger_rows(wanted: LedgerFilter) -> Iterator[LedgerRow]:
    """Every row of a selection, read in blocks, so that no query stays open while they are sent."""
    ids = list(_sorted(wanted))
    for start in range(0, len(ids), CSV_BLOCK):
        yield from _rows(ids[start : start + CSV_BLOCK])


def ledger_calls(wanted: LedgerFilter) -> QuerySet[Exchange]:
    """The calls of a selection, in no order; `rows_of_calls` tells of some of them."""
    calls = _calls(wanted)
    return calls.filter(state__in=STATES[wanted.state]) if wanted.state else calls


def rows_of_calls(ids: list[int]) -> list[LedgerRow]:
    """In the order of the numbers."""
    return _rows(ids)


def ledger_agents(*, organization: Organization, experiment: Experiment | None) -> list[tuple[str, str]]:
    """(slug, name) of the models that play here."""
    runs = _runs(LedgerFilter(organization, experiment))
    played = Q(pk__in=runs.values("agent")) | Q(pk__in=runs.exclude(rival=None).values("rival"))
    return list(Agent.objects.filter(played, baseline="").order_by("name").values_list("slug", "name"))


def _runs(wanted: LedgerFilter) -> QuerySet[Run]:
    runs = Run.objects.filter(organization=wanted.organization, imported=False)
    if wanted.experiment:
        runs = runs.filter(experiment=wanted.experiment)
    return runs.filter(pk=wanted.run.pk) if wanted.run else runs


def _calls(wanted: LedgerFilter) -> QuerySet[Exchange]:
    """The calls of models, of whatever state."""
    runs = _runs(wanted)
    calls = Exchange.objects.filter(run__in=runs.filter(Q(agent__baseline="") | Q(rival__baseline="")))
    pairs = runs.exclude(rival=None)
    if pairs.exclude(agent__baseline="", rival__baseline="").exists():
        free = Q(FIRST_SEAT, run__in=pairs.exclude(agent__baseline=""))
        calls = calls.exclude(free | Q(~FIRST_SEAT, run__in=pairs.exclude(rival__baseline="")))
    if wanted.agent:
        played = Q(run__in=runs.filter(agent=wanted.agent, rival=None))
        played |= Q(FIRST_SEAT, run__in=pairs.filter(agent=wanted.agent))
        calls = calls.filter(played | Q(~FIRST_SEAT, run__in=pairs.filter(rival=wanted.agent)))
    return calls


def _sorted(wanted: LedgerFilter) -> QuerySet[Any]:
    calls = ledger_calls(wanted)
    sign = "-" if wanted.sort.startswith("-") else ""
    column = SORTS.get(wanted.sort.removeprefix("-"), "created_at")
    return calls.order_by(f"{sign}{column}", f"{sign}id").values_list("id", flat=True)


COLUMNS = (
    "id",
    "created_at",
    "run_id",
    "run__experiment_id",
    "run__agent__name",
    "run__rival__name",
    "run__instance__environment",
    "run__variant",
    "period_index",
    "seat",
    "attempt",
    "step",
    "send",
    "state",
    "error",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "reserved_nano",
    "cost_nano",
)


def _rows(ids: list[int]) -> list[LedgerRow]:
    found = {row["id"]: row for row in Exchange.objects.filter(pk__in=ids).order_by().values(*COLUMNS)}
    return [_row(found[number]) for number in ids if number in found]


def _row(row: dict[str, Any]) -> LedgerRow:
    rival, first = row["run__rival__name"], row["seat"] == SINGLE_SEAT
    environment = ENVIRONMENTS.get(row["run__instance__environment"])
    two = environment is not None and len(environment.seats_of(row["run__variant"])) > 1
    return LedgerRow(
        id=row["id"],
        at=row["created_at"],
        run_id=row["run_id"],
        experiment_id=row["run__experiment_id"],
        agent=row["run__agent__name"] if first or rival is None else rival,
        period=row["period_index"],
        seat=row["seat"].replace("_", " ") if two else "",
        chat=row["attempt"],
        step=row["step"],
        send=row["send"],
        outcome=outcome(row["state"], row["error"]),
        input_tokens=row["input_tokens"],
        cached_tokens=row["cached_tokens"],
        output_tokens=row["output_tokens"],
        reserved_nano=row["reserved_nano"],
        cost_nano=row["cost_nano"],
        is_waste=row["state"] in WASTE,
        has_tokens=row["state"] in (ExchangeState.REPLIED, ExchangeState.LATE),
    )
