"""Metrics in the text format of Prometheus. Values are read at each request, over all organizations together.

All metrics are gauges, and labels are fixed words of this program. The package prometheus-client
is not used: it counts within one process, but the site has several, which share only the database.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from celery import current_app
from django.db import connection
from django.db.models import Aggregate, Count, Min, QuerySet, Sum
from django.db.models.functions import Coalesce, Now
from django.utils import timezone
from redis import RedisError

from infrastructure import broker
from infrastructure.processes.workers import worker_was_here
from runs.engine.lease import startable
from runs.models import Exchange, ExchangeState, MonthlySpend, PauseCause, Run, RunState
from workspace.webhooks.models import Delivery, DeliveryState

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
NANO = 1e9
ESTIMATED = (ExchangeState.UNKNOWN, ExchangeState.LOST)
"""States of calls whose true cost is unknown. Each such call is booked at its declared maximum."""

WAITS = """
    SELECT COUNT(*), COUNT(*) FILTER (WHERE wait_event_type = 'Lock'),
           COALESCE(EXTRACT(EPOCH FROM MAX(now() - xact_start)), 0),
           (SELECT deadlocks FROM pg_stat_database WHERE datname = current_database())
    FROM pg_stat_activity WHERE datname = current_database()
"""


@dataclass(frozen=True)
class Metric:
    """A metric. `values` has a number by value of `label`. Without a label, its only key is ""."""

    name: str
    meaning: str
    values: dict[str, float]
    label: str = ""


def metrics_text() -> str:
    groups = [_runs, _work, _dollars, _queues, *([_database] if connection.vendor == "postgresql" else [])]
    return "".join(f"{line}\n" for metrics in groups for metric in metrics() for line in _lines(metric))


def _lines(metric: Metric) -> Iterator[str]:
    name = f"econevals_{metric.name}"
    yield f"# HELP {name} {metric.meaning}"
    yield f"# TYPE {name} gauge"
    for value, number in metric.values.items():
        label = f'{{{metric.label}="{value}"}}' if metric.label else ""
        yield f"{name}{label} {number}"


def _runs() -> list[Metric]:
    # Deleted runs are left out. The first query reads only an index; the second finds its few rows by an index.
    states = _by_label(Run.objects.all(), "state", RunState.values, Count("pk"))
    causes = _by_label(Run.objects.filter(state=RunState.PAUSED), "pause_cause", PauseCause.values, Count("pk"))
    return [
        Metric("runs", "Runs by state.", states, "state"),
        Metric("runs_paused", "Paused runs by who or what refused them.", causes, "cause"),
    ]


def _work() -> list[Metric]:
    since = Coalesce("wake_at", "lease_until", "progressed_at", "created_at")
    due = startable().order_by().aggregate(count=Count("pk"), since=Min(since))
    seconds = (timezone.now() - due["since"]).total_seconds() if due["since"] else 0.0
    playing = Run.objects.filter(state=RunState.RUNNING, lease_until__gt=Now()).aggregate(
        runs=Count("pk"), workers=Count("lease_owner", distinct=True)
    )
    calls = Exchange.objects.filter(run__state=RunState.RUNNING, state=ExchangeState.SENT)
    return [
        _single_value("due_runs", "Runs that a worker could play now and none plays.", due["count"]),
        _single_value("oldest_due_run_seconds", "How long the oldest of them has been due.", max(0.0, seconds)),
        _single_value("leased_runs", "Runs that workers play.", playing["runs"]),
        _single_value("workers_playing", "Worker processes that play runs.", playing["workers"]),
        _single_value("worker_alive", "1 if a worker ran a sweep a moment ago.", int(worker_was_here())),
        _single_value("open_calls", "Calls of models without an outcome yet.", calls.count()),
    ]


def _dollars() -> list[Metric]:
    now = datetime.now(UTC)
    sums = MonthlySpend.objects.filter(user=None, month=now.date().replace(day=1)).aggregate(
        booked=Sum("cost_nano"), reserved=Sum("reserved_nano")
    )
    yesterday = now - timedelta(days=1)
    calls = Exchange.objects.filter(run__progressed_at__gte=yesterday, state__in=ESTIMATED, created_at__gte=yesterday)
    costs = _by_label(calls, "state", map(str, ESTIMATED), Sum("cost_nano"))
    estimated = {state: cost / NANO for state, cost in costs.items()}
    return [
        _single_value("month_booked_dollars", "Booked in this month (UTC).", (sums["booked"] or 0) / NANO),
        _single_value("month_reserved_dollars", "Reserved for open calls.", (sums["reserved"] or 0) / NANO),
        Metric("day_estimated_dollars", "Booked in 24 hours for calls of unknown cost.", estimated, "outcome"),
    ]


def _queues() -> list[Metric]:
    try:
        messages = broker.client().llen(current_app.conf.task_default_queue)
    except RedisError:
        messages = -1
    late = Delivery.objects.filter(state=DeliveryState.WAITING, due_at__lte=Now())
    return [
        _single_value(
            "queue_messages", "Wake-ups that no worker has taken; -1 while the broker is away.", int(str(messages))
        ),
        _single_value("due_deliveries", "Deliveries of webhooks that are due.", late.count()),
    ]


def _database() -> list[Metric]:
    with connection.cursor() as cursor:
        cursor.execute(WAITS)
        sessions, waiting, longest, deadlocks = cursor.fetchone()
    return [
        _single_value("database_sessions", "Sessions of the database.", sessions),
        _single_value("database_lock_waits", "Sessions that wait for a lock.", waiting),
        _single_value("database_longest_transaction_seconds", "Age of the oldest open transaction.", float(longest)),
        _single_value("database_deadlocks", "Deadlocks since the statistics of the database began.", deadlocks),
    ]


def _single_value(name: str, meaning: str, value: float) -> Metric:
    return Metric(name, meaning, {"": value})


def _by_label(rows: QuerySet[Any], column: str, labels: Iterable[str], value: Aggregate) -> dict[str, float]:
    """Return a sum over the rows by label, 0 without rows. So a time series does not vanish with its last row."""
    sums = dict(rows.order_by().values_list(column).annotate(value))
    return {label: sums.get(label, 0) for label in labels}
