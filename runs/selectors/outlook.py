"""What to expect of an experiment: time left, what waits and why, which errors there are."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max

from runs.models import Experiment, Run, RunState
from runs.models.runs import ACTIVE
from runs.selectors.cells import RunCell

REASONS_SHOWN = 20


@dataclass(frozen=True)
class Reason:
    """Why `runs` runs are not going on; `example` is one of them."""

    state: str
    text: str
    runs: int
    example: int
    wake_at: datetime | None

    @property
    def label(self) -> str:
        return str(RunState(self.state).label)


def reasons(experiment: Experiment) -> list[Reason]:
    """Each distinct reason once, most frequent first."""
    rows = (
        Run.objects.filter(
            experiment=experiment,
            state__in=(RunState.WAITING, RunState.PAUSED, RunState.STALLED, RunState.ERRORED),
        )
        .values("state", "reason")
        .annotate(runs=Count("id"), example=Max("id"), wake=Max("wake_at"))
        .order_by("-runs", "state")[:REASONS_SHOWN]
    )
    return [
        Reason(row["state"], row["reason"] or "No reason was stored.", row["runs"], row["example"], row["wake"])
        for row in rows
    ]


def seconds_left(cells: list[RunCell]) -> float | None:
    """Expected time until the last active run ends, None where nothing is active or no pace is known yet.

    Each agent's pace is its seconds per period so far; the work left is shared by the runs that play at once, and no
    experiment ends before its longest run.
    """
    active = [cell for cell in cells if cell.state in ACTIVE]
    if not active:
        return None
    spans: dict[tuple[int, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for cell in cells:
        if cell.started_at and cell.progressed_at and cell.played:
            span = spans[cell.agent_id, cell.environment]
            span[0] += max(0.0, (cell.progressed_at - cell.started_at).total_seconds())
            span[1] += cell.played
    if not spans:
        return None
    overall = sum(span[0] for span in spans.values()) / sum(span[1] for span in spans.values())
    work = []
    for cell in active:
        seconds, played = spans.get((cell.agent_id, cell.environment), (0.0, 0.0))
        pace = seconds / played if played else overall
        work.append(pace * (cell.periods - cell.played))
    at_once = max(1, sum(cell.state == RunState.RUNNING for cell in active))
    return max(sum(work) / at_once, max(work))
