"""The state of a run in words, with the cause of a pause."""

import re

from runs.engine.exceptions import REPLACED
from runs.models import PauseCause, RunState
from runs.models.runs import shown_state

PERSON_PREFIX = "Paused by "
STATUS = re.compile(r"\(status (\d{3})\)")
"""The HTTP status in the sentences that agents.providers.faults makes."""

WITHOUT_STATUS = (PauseCause.PERSON, PauseCause.BUDGET, PauseCause.KEY, PauseCause.STAGE)
"""Causes whose label has no HTTP status. For a rejected key the status depends on the provider; the reason contains it."""


def state_words(state: str, cause: str = "", reason: str = "") -> str:
    """The state in words: 'Running', 'Stopped: errored', 'Paused: budget', 'Paused by alice'."""
    label = shown_state(state, cause).label
    if state != RunState.PAUSED or cause not in PauseCause.values:
        return label
    if cause == PauseCause.PERSON:
        return reason.rstrip(".") if reason.startswith(PERSON_PREFIX) else label
    if cause == PauseCause.MODEL and REPLACED in reason:
        return f"{label}: another model answered"
    status = None if cause in WITHOUT_STATUS else STATUS.search(reason)
    text = f"{label}: {PauseCause(cause).label}"
    return f"{text} ({status[1]})" if status else text
