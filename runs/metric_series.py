"""Metrics of a run with a value for each period, such as `profit_share_by_period`.

They have a table of their own: tables read the rows of thousands of runs, which would be twenty times as long with them.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import QuerySet

from runs.models import MetricSeries, Run

BY_PERIOD = "_by_period"
"""The end of the names of these metrics."""


def without_series(metrics: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The metrics that are stored in the row of the run."""
    if metrics is None:
        return None
    return {name: value for name, value in metrics.items() if value is None or not name.endswith(BY_PERIOD)}


def result_store(*, runs: QuerySet[Run], run_id: int, result: Mapping[str, Any], **columns: Any) -> bool:
    """Update the columns of a run, and those of `engine.period.result_of`. Returns False if it is not among `runs`."""
    metrics = result.get("metrics")
    stored = {**result, "metrics": without_series(metrics)} if result else {}
    if not runs.filter(pk=run_id).update(**columns, **stored):
        return False
    series_store(run_id=run_id, metrics=metrics)
    return True


def series_store(*, run_id: int, metrics: Mapping[str, Any] | None) -> None:
    """Store the series among the metrics of a run, in place of those of an earlier result."""
    rows = [MetricSeries(run_id=run_id, metric=name, values=values) for name, values in _series(metrics or {})]
    MetricSeries.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["run", "metric"], update_fields=["values"]
    )


def _series(metrics: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    stored = without_series(metrics) or {}
    return ((name, values) for name, values in metrics.items() if name not in stored)
