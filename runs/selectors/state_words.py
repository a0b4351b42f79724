"""The state of a run in words, with what has to change before a paused one goes on."""

from __future__ import annotations

import re

from runs.models import PauseCause, RunState

PERSON_PREFIX = "Paused by "
STATUS = re.compile(r"\(status (\d{3})\)")
"""The provider's HTTP status, as agents.providers.faults writes it into its sentences."""

WITHOUT_STATUS = (PauseCause.PERSON, PauseCause.BUDGET, PauseCause.KEY)
"""A key is refused with several statuses, and the sentence beside the words has it."""


def state_words(state: str, cause: str = "", reason: str = "") -> str:
    """'Running', 'Paused: budget', 'Paused: request rejected (400)', 'Paused by alice'."""
    label = str(RunState(state).label)
    if state != RunState.PAUSED or cause not in PauseCause.values:
        return label
    if cause == PauseCause.PERSON:
        return reason.rstrip(".") if reason.startswith(PERSON_PREFIX) else label
    status = None if cause in WITHOUT_STATUS else STATUS.search(reason)
    words = f"{label}: {PauseCause(cause).label}"
    return f"{words} ({status[1]})" if status else words
