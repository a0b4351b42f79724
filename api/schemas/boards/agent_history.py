from collections.abc import Iterable
from typing import Any

from analysis.agent_page.history import HistoryRow
from api.schemas.base import USD, Out
from infrastructure.money import usd


class HistoryRowOut(Out):
    """Finished runs in one environment and difficulty under the same conditions, as unrounded shares."""

    environment: str
    difficulty: str
    variant: str
    periods: int
    generator: str
    imported: bool
    rival: str
    """Name of another agent in the second seat of a market; empty without one."""
    instances: int
    runs: int
    mean: float
    """Over instances; several runs of an instance count as their mean."""
    interval: list[float] | None
    """95 % interval of the mean from six instances on: Student's t, wider near a bound, or BCa where half lie at one."""
    standard_error: float | None
    solved: int | None
    """Instances that every run solved; null where the environment has no solutions."""
    cost_usd: USD | None
    """Of all these runs; null where no price is known."""

    @staticmethod
    def values(row: HistoryRow) -> dict[str, Any]:
        cost = usd(row.sums.cost_nano) if row.cost_is_known else None
        interval = list(row.interval) if row.interval else None
        return HistoryRowOut.from_row(row.sums, row.conditions, interval=interval, cost_usd=cost)


class HistoryOut(Out):
    rows: list[HistoryRowOut]

    @staticmethod
    def values(rows: Iterable[HistoryRow]) -> dict[str, Any]:
        return {"rows": [HistoryRowOut.values(row) for row in rows]}
