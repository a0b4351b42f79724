"""The state of a run in words, with what has to change before a paused one goes on."""

from __future__ import annotations

from runs.models import PauseCause, RunState

PERSON_PREFIX = "Paused by "


def state_words(state: str, cause: str = "", reason: str = "") -> str:
    """'Running', 'Paused: budget', 'Paused: key', 'Paused by alice'."""
    label = str(RunState(state).label)
    if state != RunState.PAUSED:
        return label
    if cause == PauseCause.PERSON and reason.startswith(PERSON_PREFIX):
        return reason.rstrip(".")
    return f"{label}: {cause}" if cause in (PauseCause.BUDGET, PauseCause.KEY, PauseCause.ENDPOINT) else label
