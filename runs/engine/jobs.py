"""Jobs: background work that takes seconds to hours. A worker claims the row of a job. All kinds share one runner."""

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
    """A kind of job. Only this class turns the exceptions of a job into states of its row.

    name: what a row is called in sentences, such as "analysis"
    step: works on a claimed row and ends with `claims.finish`; may raise JobFailed
    fail: stores why the job of a row failed, and releases the row
    advice: what a person can do about a job that is too large
    most_tries: number of workers that may die on a row before its job fails, so that it does not kill every worker
    at_once: number of rows that one process works on at the same time
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
        """The body of the Celery task: work on the next due row, and wake a worker for the row after it."""
        try:
            if self.work_next():
                self.claims.wake()
        finally:
            let_go_of_connection()

    def work_next(self) -> bool:
        """Work on the next due row. Returns False if none is due or this process already works on enough rows."""
        if stopping.is_set() or not self._free.acquire(blocking=False):
            return False
        try:
            if claim := self.claims.claim_next():
                self.work(claim)
            return claim is not None
        finally:
            self._free.release()

    def work(self, claim: Claim) -> None:
        """Work on a claimed row, then release it, except if the database is away."""
        heartbeat.start()
        try:
            if problem := self._problem_of_step(claim):
                self.fail(claim, problem)
        except ClaimLost:
            logger.info("The %s %d was cancelled or is another worker's.", self.name, claim.row_id)
        except (OperationalError, InterfaceError):
            # The database is away or full. The claim expires, and the next worker starts over.
            logger.warning("The %s %d waits for the database.", self.name, claim.row_id, exc_info=True)
        finally:
            self.claims.held.discard(claim)

    def _problem_of_step(self, claim: Claim) -> str:
        """Do the job on a row. Returns why it failed, as a sentence; empty if it went well."""
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
        except Exception as error:  # a bug must appear as an error, not cause endless retries
            logger.exception("The %s %d failed.", self.name, claim.row_id)
            return f"A fault in EconEvals ended this {self.name}: {type(error).__name__}: {error}"[:1000]
        return ""
