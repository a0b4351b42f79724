"""Claims on jobs: one worker at a time works on a job, and another takes it over when the claim expires.

As with leases of runs, all times are the database's, and every write names the fence that each new holder raises.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from infrastructure.processes.workers import stopping, worker_was_here
from infrastructure.transactions import let_go_of_connection, wake, write_transaction

CANDIDATES = 4
PATIENCE_SECONDS = 3
"""How much later than a sweep a waiting job may begin before its page says why it does not."""


class Claimed(models.Model):
    """A job for workers. A subclass has a column `state`.

    done, total: the progress, in units of the job
    fence, claim_until, tries: the claim, like the lease of a run; `tries` counts workers that died over the job
    asked_at: since when it waits for a worker; begun_at: when the latest worker claimed it
    """

    done = models.PositiveIntegerField(default=0, db_default=0)
    total = models.PositiveIntegerField(default=0, db_default=0)
    fence = models.PositiveBigIntegerField(default=0, db_default=0)
    claim_until = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0, db_default=0)
    asked_at = models.DateTimeField(default=timezone.now, db_default=Now())
    begun_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


@dataclass(frozen=True)
class Claim:
    """A worker's claim on a job in this state. tries: earlier claims whose workers died."""

    row_id: int
    fence: int
    state: str
    tries: int


class ClaimLost(Exception):
    """The job was ended or taken over, or is no longer welcome: write nothing more."""


class Stopping(Exception):
    """This process was asked to stop."""


Row = TypeVar("Row", bound=Claimed)


class Claims(Generic[Row]):
    """The claims on the rows of one table.

    working: the states in which a row waits for a worker
    task: name of the Celery task that works on the next row
    welcome: what must hold while a worker works on a row
    resting: values of columns while no worker works on a row
    held: the claims of this process; the heartbeat renews them, since a single step may take longer than a claim lasts
    """

    def __init__(
        self,
        model: type[Row],
        working: Sequence[str],
        task: str,
        welcome: Any = None,
        resting: dict[str, Any] | None = None,
    ):
        self.model, self.working, self.task = model, working, task
        self.welcome: Any = Q() if welcome is None else welcome
        self.resting = resting or {}
        self.held: set[Claim] = set()
        os.register_at_fork(after_in_child=self.held.clear)

    def rows(self) -> QuerySet[Row]:
        rows: QuerySet[Row] = self.model._default_manager.all()
        return rows

    def due(self) -> QuerySet[Row]:
        """Rows that a worker may claim. A claim too far in the future was made before the clock was set back."""
        free = Q(claim_until=None) | Q(claim_until__lt=Now()) | Q(claim_until__gt=_expiry(3))
        return self.rows().filter(free, state__in=self.working)

    def wake(self) -> None:
        """Wake a worker, even if the queue is full: one message a sweep and row at most."""
        wake(self.task, even_if_full=True)

    def sweep(self) -> None:
        """Wake a worker for due rows. A listener of runs.events.sweeping."""
        if self.due().exists():
            self.wake()

    def in_turn(self) -> QuerySet[Row]:
        """The due rows, the one that waits longest first."""
        return self.due().order_by("asked_at", "id")

    def claim_next(self) -> Claim | None:
        """Claim the row whose turn it is. Returns None if none is due."""
        waiting = self.in_turn().values_list("id", flat=True)[:CANDIDATES]
        return next((claim for row_id in waiting if (claim := self.take(row_id)) is not None), None)

    def take(self, row_id: int) -> Claim | None:
        with write_transaction():
            if (
                not self.due()
                .filter(pk=row_id)
                .update(fence=F("fence") + 1, tries=F("tries") + 1, claim_until=_expiry(), begun_at=Now(), done=0)
            ):
                return None
            fence, state, tries = self.rows().values_list("fence", "state", "tries").get(pk=row_id)
        claim = Claim(row_id, fence, state, tries - 1)
        self.held.add(claim)
        return claim

    def store_progress(self, claim: Claim, done: int, total: int, **values: Any) -> None:
        """Called before each part of the work. Raises ClaimLost if the rest is not needed, Stopping if the process stops."""
        if stopping.is_set():
            raise Stopping
        with write_transaction():
            mine = self.mine(claim).filter(self.welcome)
            if not mine.update(done=done, total=total, claim_until=_expiry(), **values):
                raise ClaimLost
        let_go_of_connection()  # for the next part of the work

    def finish(self, claim: Claim, **values: Any) -> None:
        """Store the result and release the claim. Raises ClaimLost."""
        with write_transaction():
            if not self.mine(claim).update(claim_until=None, tries=0, asked_at=Now(), **self.resting | values):
                raise ClaimLost

    def renew(self) -> None:
        for claim in self.held.copy():
            with write_transaction():
                self.mine(claim).update(claim_until=_expiry())

    def mine(self, claim: Claim) -> QuerySet[Row]:
        return self.rows().filter(pk=claim.row_id, fence=claim.fence, state=claim.state)


def waiting_reason(job: Claimed, singular: str, plural: str) -> str:
    """Why a waiting job does not go on, as a sentence; empty if it does. singular: 'analysis'; plural: 'analyses'"""
    since = job.claim_until or job.asked_at
    if timezone.now() - since <= timedelta(seconds=settings.SWEEP_SECONDS + PATIENCE_SECONDS):
        return ""
    if worker_was_here():
        return f"Other {plural} come first. This one begins by itself when it is its turn."
    return f"No worker is running. The {singular} begins by itself as soon as one is started."


def _expiry(claims: int = 1) -> Any:
    return Now() + timedelta(seconds=claims * settings.LEASE_SECONDS)
