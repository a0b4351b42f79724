"""The ledger: every call of a model with its cost."""

from collections.abc import Iterator
from typing import Any

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import timezone

from accounts.pages.downloads import csv_download, usd
from accounts.pages.requests import MemberRequest, typed, whole
from runs.models import Agent
from runs.selectors.experiments import experiment_or_404, run_or_404
from workspace.spending.selectors.ledger import (
    STATES,
    LedgerFilter,
    LedgerRow,
    ledger_agents,
    ledger_page,
    ledger_rows,
    totals,
)

CSV_HEADING = (
    *("call", "time_utc", "experiment", "run", "agent", "period", "seat", "chat", "step", "send", "state", "why"),
    *("input_tokens", "cached_tokens", "output_tokens", "reserved_usd", "booked_usd", "reasoning_tokens"),
    "thinking_usd",
)


def ledger(request: MemberRequest, experiment_id: int | None = None) -> HttpResponse:
    ledger_filter = _ledger_filter(request, experiment_id)
    sums = totals(ledger_filter)
    context = {
        "filter": ledger_filter,
        "experiment": ledger_filter.experiment,
        "run": ledger_filter.run,
        "totals": sums,
        "page": ledger_page(ledger_filter, sums, request.GET.get("page")),
        "agents": ledger_agents(organization=ledger_filter.organization, experiment=ledger_filter.experiment),
        "sort": ledger_filter.sort,
        "now": timezone.now(),
    }
    return render(request, "workspace/spending/ledger.html", context)


def ledger_csv(request: MemberRequest, experiment_id: int | None = None) -> HttpResponseBase:
    """All pages of the selection that the query string names."""
    name = f"ledger-experiment-{experiment_id}.csv" if experiment_id else "ledger-organization.csv"
    return csv_download(request, name, CSV_HEADING, _lines(ledger_rows(_ledger_filter(request, experiment_id))))


def _ledger_filter(request: MemberRequest, experiment_id: int | None) -> LedgerFilter:
    """The selection that the query string names. An unknown run or agent is a 404; other unknown values are ignored."""
    organization = request.organization
    experiment = run = agent = None
    if experiment_id is not None:
        experiment = experiment_or_404(organization=organization, experiment_id=experiment_id)
    if any(map(str.isdigit, text := typed(request.GET, "run"))):
        run = run_or_404(organization=organization, run_id=whole(text, 0))
        if experiment and run.experiment_id != experiment.pk:
            raise Http404("This run belongs to another experiment.")
    if slug := typed(request.GET, "agent"):
        agent = get_object_or_404(Agent, organization=organization, slug=slug)
    state, sort = typed(request.GET, "state"), typed(request.GET, "sort")
    return LedgerFilter(organization, experiment, run, agent, state if state in STATES else "", sort or "-time")


def _lines(rows: Iterator[LedgerRow]) -> Iterator[tuple[Any, ...]]:
    for row in rows:
        call = (row.period, row.seat, row.chat + 1, row.step + 1, row.send + 1)
        outcome = (row.outcome.label, " ".join(filter(None, (row.outcome.meaning, row.outcome.why))))
        tokens = (row.input_tokens, row.cached_tokens, row.output_tokens)
        rest = (usd(row.reserved_nano), usd(row.cost_nano), row.reasoning_tokens, usd(row.thinking_nano))
        yield (row.id, row.at.isoformat(), row.experiment_id, row.run_id, row.agent, *call, *outcome, *tokens, *rest)
