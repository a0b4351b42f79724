"""Jobs: work of seconds to hours on a claimed row, which workers do beside runs. One runner for all kinds of jobs."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import BoundedSemaphore
from typing import Any

from django.db import InterfaceError, OperationalError

from infrastructure.claims import Claim, ClaimLost, Claims, Stopping
from infrastructure.processes.workers import stopping
from infrastructure.transactions import let_go_of_connection
from runs.engine import heartbeat

logger = logging.getLogger(__name__)


class JobFailed(Exception):
    """The job cannot be done. The message is a sentence for its page."""


@dataclass(frozen=True)
class Job:
    """A kind of jobs. The only place that turns exceptions into states of a row.

    name: what a row is called in sentences, such as "analysis"
    step: works on a claimed row and ends with `claims.finish`; may raise JobFailed
    fail: stores why a row cannot be done, and releases it
    advice: what a person can do about a job that is too large
    most_tries: workers that may die over a row before it fails, so that it cannot kill all of them
    at_once: rows that one process works on at the same time
    """

    name: str
    claims: Claims[Any]
    step: Callable[[Claim], None]
    fail: Callable[[Claim, str], None]
    advice: str = ""
    most_tries: int = 3
    at_once: int = 1
    _free: BoundedSemaphore = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_free", BoundedSemaphore(self.at_once))

    def run(self) -> None:
        """The body of the Celery task: work on the next row, and wake a worker for the one after it."""
        try:
            if self.work_next():
                self.claims.wake()
        finally:
            let_go_of_connection()

    def work_next(self) -> bool:
        """Work on the row whose turn it is. Returns False if none is due or this process does enough of them."""
        if stopping.is_set() or not self._free.acquire(blocking=False):
            return False
        try:
            if claim := self.claims.claim_next():
                self.work(claim)
            return claim is not None
        finally:
            self._free.release()

    def work(self, claim: Claim) -> None:
        """Work on a claimed row, and release it unless the database is away."""
        heartbeat.start()
        try:
            if problem := self._problem_of_step(claim):
                self.fail(claim, problem)
        except ClaimLost:
            logger.info("The %s %d was cancelled or is another worker's.", self.name, claim.row_id)
        except (OperationalError, InterfaceError):
            # The database is away or full. The claim expires, and the next worker begins again.
            logger.warning("The %s %d waits for the database.", self.name, claim.row_id, exc_info=True)
        finally:
            self.claims.held.discard(claim)

    def _problem_of_step(self, claim: Claim) -> str:
        """Why the row cannot be done, as a sentence; empty if the step ended well."""
        try:
            if claim.tries >= self.most_tries:
                raise JobFailed(f"{self.most_tries} workers ended while they worked on this {self.name}. {self.advice}")
            self.step(claim)
        except (ClaimLost, OperationalError, InterfaceError):
            raise
        except Stopping:
            self.claims.finish(claim, done=0)
        except JobFailed as failure:
            return str(failure).strip()
        except MemoryError:
            return f"The worker's memory is too small. {self.advice}".strip()
        except Exception as error:  # a bug must show as one and not be retried for ever
            logger.exception("The %s %d failed.", self.name, claim.row_id)
            return f"A fault in EconEvals ended this {self.name}: {type(error).__name__}: {error}"[:1000]
        return ""
