"""The Celery task that reads and stores archives."""

from celery import shared_task

from workspace.transfer.services.uploads import IMPORTS, import_claims, uploads_expire

import_next = shared_task(name=import_claims.task)(IMPORTS.run)


def sweep() -> None:
    """The part of each periodic sweep that concerns uploads."""
    uploads_expire()
    import_claims.sweep()
