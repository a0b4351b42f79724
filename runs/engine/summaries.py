"""What a run's row says after its latest period."""

from __future__ import annotations

from typing import Any

from django.db.models.functions import Now

from environments.base import Environment
from runs.models import Run, RunState


def summary(run: Run, environment: Environment) -> dict[str, Any]:
    """Nothing new while the run goes on; score and metrics once it ended."""
    if not environment.finished:
        return {}
    outcomes = environment.outcomes
    score = environment.score(environment.instance, outcomes, run.periods, run.variant)
    return {
        "state": RunState.FINISHED,
        "reason": score.note,
        "score": score.value,
        "solved": score.solved,
        "metrics": environment.metrics(environment.instance, outcomes, run.periods),
        "ended_at": Now(),
        "wish": "",
        "lease_owner": "",
        "lease_until": None,
    }
