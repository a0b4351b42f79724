"""Claims on jobs. One worker at a time works on a job; another takes it over when the claim expires.

As with leases of runs, all times are those of the database. Each new holder raises the job's fence, and every write
requires the writer's fence to be current.
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
"""A job that waits longer than the interval of sweeps plus these seconds shows on its page why it does not begin."""


class JobState(models.TextChoices):
    """States of a job. Workers turn `waiting` into `done` or `failed`; a person cancels."""

    WAITING = "waiting", "Waiting"
    DONE = "done", "Done"
    CANCELLED = "cancelled", "Cancelled"
    FAILED = "failed", "Failed"


class Claimed(models.Model):
    """A job for workers. A subclass has a column `state`.

    done, total: the progress, in units of the job
    fence: a counter that each new claim raises
    claim_until: when the claim expires; None without one
    tries: claims since the job last finished; more than one if workers died over it
    asked_at: when it began to wait for a worker
    begun_at: when the latest worker claimed it
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


def claim_expiry(claims: int = 1) -> Any:
    """Return when a claim that begins now expires, or several claims one after another."""
    return Now() + timedelta(seconds=claims * settings.LEASE_SECONDS)


def unclaimed(column: str) -> Q:
    """Return the filter for rows without a valid claim. column: holds when the claim expires

    A claim too far in the future is void: the clock was set back since.
    """
    return Q((column, None)) | Q((f"{column}__lt", Now())) | Q((f"{column}__gt", claim_expiry(3)))


@dataclass(frozen=True)
class Claim:
    """A worker's claim on the job `row_id` in the state `state`. `tries` is the number of claims whose workers died."""

    row_id: int
    fence: int
    state: str
    tries: int


class ClaimLost(Exception):
    """The job was ended, taken over, or fails the condition `welcome`. Its worker must write nothing more."""


class Stopping(Exception):
    """This process was asked to stop."""


Row = TypeVar("Row", bound=models.Model)


class Claims(Generic[Row]):
    """The claims on the rows of one table.

    working: the states in which a row needs a worker
    task: name of the Celery task that works on the next row
    welcome: a Q object that must hold while a worker works on a row
    resting: values of columns, by name, that are set when no worker works on a row
    released: values of the claim's own columns without a claim
    held: claims of this process; the heartbeat renews them, because one step may outlast a claim
    """

    released: dict[str, Any] = {"claim_until": None, "tries": 0, "asked_at": Now()}

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
        """Return rows that a worker may claim."""
        return self.rows().filter(unclaimed("claim_until"), state__in=self.working)

    def wake(self) -> None:
        """Wake a worker, even if the queue is full. That is safe: there is at most one message per sweep and row."""
        wake(self.task, even_if_full=True)

    def sweep(self) -> None:
        """Wake a worker if rows are due. A listener of runs.events.sweeping."""
        if self.due().exists():
            self.wake()

    def in_turn(self) -> QuerySet[Row]:
        """Return the due rows, longest wait first."""
        return self.due().order_by("asked_at", "id")

    def claim_next(self) -> Claim | None:
        """Claim the due row that waits longest. Returns None if no row is due."""
        return next(filter(None, map(self.take, self.in_turn().values_list("id", flat=True)[:CANDIDATES])), None)

    def take(self, row_id: int) -> Claim | None:
        with write_transaction():
            if (
                not self.due()
                .filter(pk=row_id)
                .update(fence=F("fence") + 1, tries=F("tries") + 1, claim_until=claim_expiry(), begun_at=Now(), done=0)
            ):
                return None
            fence, state, tries = self.rows().values_list("fence", "state", "tries").get(pk=row_id)
        claim = Claim(row_id, fence, state, tries - 1)
        self.held.add(claim)
        return claim

    def store_progress(self, claim: Claim, done: int, total: int, **values: Any) -> None:
        """Store the progress and renew the claim. The worker calls this before each part of its work.

        Raises ClaimLost if it must not go on, Stopping if the process stops.
        """
        if stopping.is_set():
            raise Stopping
        with write_transaction():
            mine = self.mine(claim).filter(self.welcome)
            if not mine.update(done=done, total=total, claim_until=claim_expiry(), **values):
                raise ClaimLost
        let_go_of_connection()  # the next part of the work may take long

    def finish(self, claim: Claim, **values: Any) -> None:
        """Store the result and release the claim. Raises ClaimLost."""
        with write_transaction():
            if not self.mine(claim).update(**self.released | self.resting | values):
                raise ClaimLost

    def renew(self) -> None:
        for claim in self.held.copy():
            with write_transaction():
                self.mine(claim).update(claim_until=claim_expiry())

    def mine(self, claim: Claim) -> QuerySet[Row]:
        return self.rows().filter(pk=claim.row_id, fence=claim.fence, state=claim.state)


def waiting_reason(job: Claimed, singular: str, plural: str) -> str:
    """Return a sentence that says why a waiting job does not begin; "" if it has not waited for long.

    singular, plural: words for the job, such as 'analysis' and 'analyses'
    """
    if timezone.now() - (job.claim_until or job.asked_at) <= timedelta(
        seconds=settings.SWEEP_SECONDS + PATIENCE_SECONDS
    ):
        return ""
    if worker_was_here():
        return f"Other {plural} come first. This one begins by itself when it is its turn."
    return f"No worker is running. The {singular} begins by itself as soon as one is started."
