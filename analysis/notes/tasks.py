"""Celery tasks that keep the search index and compute analyses."""

from threading import BoundedSemaphore

from celery import shared_task

from analysis.notes.models import claims
from analysis.notes.search.indexing import has_work, index_for
from analysis.notes.study.work import ANALYSES
from infrastructure.processes.workers import stopping
from infrastructure.transactions import let_go_of_connection, wake
from runs.services.job_calls import job_calls_close

INDEX = "notes.tasks.index_next"

INDEX_SECONDS = 5.0
"""Seconds for which one task writes the index before it enqueues itself again."""

_indexing = BoundedSemaphore(1)


@shared_task(name=INDEX)
def index_next() -> None:
    """Write the search index for a few seconds. If there is more to index, enqueue this task again."""
    if stopping.is_set() or not _indexing.acquire(blocking=False):
        return
    try:
        if index_for(INDEX_SECONDS):
            wake(INDEX, even_if_full=True)
    finally:
        _indexing.release()
        let_go_of_connection()


study_next = shared_task(name=claims.task)(ANALYSES.run)


def sweep() -> None:
    """The part of each periodic sweep that concerns notes."""
    if has_work():
        wake(INDEX, even_if_full=True)
    claims.sweep()
    job_calls_close()
