"""The ledger: a list of all model calls, with their reserved and booked cost.

Calls of baselines, people and outside agents are left out, since they cost a site nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q, QuerySet, Sum

from accounts.models import Organization
from environments.registry import ENVIRONMENTS
from infrastructure.paging import TABLE_PAGE, PageNumber
from runs.models import Agent, Exchange, ExchangeState, Experiment, Run
from runs.models.records import ANSWERED, UNCONFIRMED
from runs.selectors.outcomes import LABELS, CallOutcome, outcome

CSV_BLOCK = 500
SORTS = {"time": "created_at", "cost": "cost_nano"}
STATES = {"waste": UNCONFIRMED} | {str(state): (state,) for state in ExchangeState}


@dataclass(frozen=True)
class LedgerFilter:
    """A selection of calls. `state` is a key of STATES or empty; `sort` is a key of SORTS, with "-" for descending."""

    organization: Organization
    experiment: Experiment | None = None
    run: Run | None = None
    agent: Agent | None = None
    state: str = ""
    sort: str = "-time"

    @property
    def is_narrowed(self) -> bool:
        return bool(self.run or self.agent or self.state)


@dataclass(frozen=True)
class Totals:
    """Number of calls and booked cost by state. Amounts are billionths of a dollar; reserved is for calls in flight."""

    calls: dict[str, int]
    booked: dict[str, int]
    reserved_nano: int

    def count(self, state: str = "") -> int:
        return sum(number for name, number in self.calls.items() if not state or name in STATES[state])

    @property
    def booked_nano(self) -> int:
        return sum(self.booked.values())

    @property
    def waste_nano(self) -> int:
        return sum(self.booked.get(state, 0) for state in UNCONFIRMED)

    @property
    def waste_kinds(self) -> list[tuple[str, int, int]]:
        """(label, calls, billionths of a dollar) of each state of waste that occurs."""
        return [
            (LABELS[state], self.calls[state], self.booked[state]) for state in UNCONFIRMED if self.calls.get(state)
        ]

    @property
    def choices(self) -> list[tuple[str, str, int]]:
        """(state, label, number of calls) for each option of the state filter."""
        options = [("waste", "unconfirmed only"), *((str(state), LABELS[state]) for state in ExchangeState)]
        return [(state, name, self.count(state)) for state, name in options]


@dataclass(frozen=True)
class LedgerRow:
    """A call. `period`, `chat`, `step` and `send` are numbered from 0; `seat` is empty in games with one seat."""

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
    outcome: CallOutcome
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    reserved_nano: int
    cost_nano: int
    thinking_nano: int
    is_waste: bool
    has_tokens: bool


def totals(ledger_filter: LedgerFilter) -> Totals:
    """The sums of the selection in all states, so that the filter can show a count for each state. One query."""
    states = _calls(ledger_filter).values("state").order_by()
    rows = states.annotate(calls=Count("id"), booked=Sum("cost_nano"), reserved=Sum("reserved_nano"))
    by_state = {row["state"]: row for row in rows}
    return Totals(
        calls={state: row["calls"] for state, row in by_state.items()},
        booked={state: row["booked"] for state, row in by_state.items()},
        reserved_nano=by_state[ExchangeState.SENT]["reserved"] if ExchangeState.SENT in by_state else 0,
    )


class _Ids(Sequence[int]):
    """The sorted ids of `total` calls, for a Paginator. A slice in the second half is read from the end, for speed."""

    def __init__(self, rows: QuerySet[Any], total: int):
        self._rows, self._total = rows, total

    def __len__(self) -> int:
        return self._total

    def __getitem__(self, part: Any) -> Any:
        start, stop, _ = part.indices(self._total)
        if start < self._total // 2:
            return list(self._rows[start:stop])
        return list(self._rows.reverse()[self._total - stop : self._total - start])[::-1]


def ledger_page(ledger_filter: LedgerFilter, sums: Totals, page: PageNumber) -> Page[LedgerRow]:
    """A page of LedgerRow. `sums` has the number of calls, so only the rows of the page are read."""
    ids = _Ids(_sorted(ledger_filter), sums.count(ledger_filter.state))
    calls: Page[Any] = Paginator(ids, TABLE_PAGE).get_page(page)
    calls.object_list = rows_of_calls(list(calls.object_list))
    return calls


def ledger_rows(ledger_filter: LedgerFilter) -> Iterator[LedgerRow]:
    """Every row of a selection, read in blocks, so that no query stays open during a download."""
    ids = list(_sorted(ledger_filter))
    for start in range(0, len(ids), CSV_BLOCK):
        yield from rows_of_calls(ids[start : start + CSV_BLOCK])


def ledger_calls(ledger_filter: LedgerFilter) -> QuerySet[Exchange]:
    """The calls of a selection, unsorted."""
    calls = _calls(ledger_filter)
    return calls.filter(state__in=STATES[ledger_filter.state]) if ledger_filter.state else calls


def ledger_agents(*, organization: Organization, experiment: Experiment | None) -> list[tuple[str, str]]:
    """(slug, name) of the models that play in the organization or experiment."""
    runs = _runs(LedgerFilter(organization, experiment))
    plays_in_runs = Q(pk__in=runs.values("agent")) | Q(pk__in=runs.exclude(rival=None).values("rival"))
    models = Agent.objects.filter(Agent.playable(), plays_in_runs, baseline="")
    return list(models.order_by("name").values_list("slug", "name"))


def _runs(ledger_filter: LedgerFilter) -> QuerySet[Run]:
    experiment = Q(experiment=ledger_filter.experiment) if ledger_filter.experiment else Q()
    run = Q(pk=ledger_filter.run.pk) if ledger_filter.run else Q()
    return Run.objects.filter(experiment, run, organization=ledger_filter.organization, imported=False)


def _calls(ledger_filter: LedgerFilter) -> QuerySet[Exchange]:
    """Calls of models in every state."""
    models = Agent.objects.filter(Agent.playable(), organization=ledger_filter.organization, baseline="")
    return Exchange.objects.filter(
        run__in=_runs(ledger_filter), agent__in=[ledger_filter.agent] if ledger_filter.agent else models
    )


def _sorted(ledger_filter: LedgerFilter) -> QuerySet[Any]:
    calls = ledger_calls(ledger_filter)
    sign = "-" if ledger_filter.sort.startswith("-") else ""
    column = SORTS.get(ledger_filter.sort.removeprefix("-"), "created_at")
    return calls.order_by(f"{sign}{column}", f"{sign}id").values_list("id", flat=True)


UNCHANGED = (
    *("id", "run_id", "step", "send"),
    *("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens"),
    *("reserved_nano", "cost_nano", "thinking_nano"),
)
RENAMED = {
    "at": F("created_at"),
    "experiment_id": F("run__experiment"),
    "period": F("period_index"),
    "chat": F("attempt"),
}
CONVERTED = ("seat", "state", "error", "agent__name", "run__instance__environment", "run__variant")
"""Columns that a LedgerRow converts before it shows them."""


def rows_of_calls(ids: list[int]) -> list[LedgerRow]:
    """Ledger rows in the order of the ids."""
    rows = Exchange.objects.filter(pk__in=ids).order_by().values(*UNCHANGED, *CONVERTED, **RENAMED)
    by_id = {row["id"]: _row(**row) for row in rows}
    return [by_id[number] for number in ids if number in by_id]


def _row(seat: str, state: str, error: str, **row: Any) -> LedgerRow:
    environment, variant = ENVIRONMENTS.get(row.pop("run__instance__environment")), row.pop("run__variant")
    two_seats = environment is not None and len(environment.seats_of(variant)) > 1
    return LedgerRow(
        agent=row.pop("agent__name"),
        seat=seat.replace("_", " ") if two_seats else "",
        outcome=outcome(state, error),
        is_waste=state in UNCONFIRMED,
        has_tokens=state in (*ANSWERED, ExchangeState.LATE),
        **row,
    )
