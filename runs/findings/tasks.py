"""The Celery task that computes findings, and its trigger: ended runs. The sweep finds runs without a message."""

from collections.abc import Sequence
from functools import partial

from celery import shared_task
from django.db import transaction

from infrastructure.transactions import wake
from runs.findings.services import FINDINGS, claims

compute_next = shared_task(name=claims.task)(FINDINGS.run)


def notify(run_ids: Sequence[int]) -> None:
    """Wake a worker after the commit. Listener of `events.runs_stopped`. It makes no query."""
    transaction.on_commit(partial(wake, claims.task), robust=True)
