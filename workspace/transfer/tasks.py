"""The Celery task that reads and stores archives."""

from celery import shared_task

from workspace.transfer.claims import import_claims
from workspace.transfer.services.uploads import uploads_expire
from workspace.transfer.services.work import IMPORTS

import_next = shared_task(name=import_claims.task)(IMPORTS.run)


def sweep() -> None:
    """The part of each sweep that concerns uploads."""
    uploads_expire()
    import_claims.sweep()
