"""The Celery task that works on proofs."""

from celery import shared_task

from infrastructure.connections import let_go_of_connection
from infrastructure.processes.stopping import stopping
from infrastructure.wake_ups import wake
from runs.proofs.claims import claims
from runs.proofs.work import work

PROVE = "runs.proofs.tasks.prove_next"


@shared_task(name=PROVE)
def prove_next() -> None:
    """Do the next step of a due proof, and wake a worker for the one after it."""
    try:
        if prove_one():
            wake(PROVE, even_if_full=True)
    finally:
        let_go_of_connection()


def prove_one() -> bool:
    """Returns False if no proof is due."""
    claim = None if stopping.is_set() else claims.claim_next()
    if claim:
        work(claim)
    return claim is not None


def sweep() -> None:
    """Wake a worker for due proofs. Listener of `events.sweeping_seldom`."""
    if claims.due().exists():
        wake(PROVE, even_if_full=True)
