"""A worker's part of an import. The only place that turns exceptions into states of an upload."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import Any

from django.db import IntegrityError, InterfaceError, OperationalError

from infrastructure.claims import Claim, ClaimLost
from infrastructure.connections import let_go_of_connection
from infrastructure.processes.stopping import stopping
from infrastructure.transactions import write_transaction
from runs.engine import heartbeat
from transfer.claims import import_claims
from transfer.models import ImportArchive, ImportState, ImportUpload
from transfer.reading.refusals import Refused
from transfer.reading.sources import Source, opened_archive
from transfer.services.imports import AT_THE_SAME_TIME, import_collect, import_preview, import_write

logger = logging.getLogger(__name__)

MOST_TRIES = 5
"""Workers that may die over an archive before it is refused, so that it cannot kill all of them."""


class Stopping(Exception):
    """This process was asked to stop."""


def work(claim: Claim) -> None:
    """Read or store the claimed upload, then release the claim."""
    heartbeat.start()
    try:
        _work(claim)
    except ClaimLost:
        logger.info("Import %d is wanted no more, or is another worker's.", claim.row_id)
    except (OperationalError, InterfaceError):
        # The database is away or full. The claim expires, and the next worker starts again.
        logger.warning("Import %d waits for the database.", claim.row_id, exc_info=True)
    finally:
        import_claims.held.discard(claim)


def _work(claim: Claim) -> None:
    try:
        if claim.tries >= MOST_TRIES:
            raise Refused(f"{MOST_TRIES} workers ended while they worked on this archive. Send it in smaller parts.")
        _store(claim) if claim.state == ImportState.STORING else _read(claim)
    except (ClaimLost, OperationalError, InterfaceError):
        raise
    except Stopping:
        import_claims.finish(claim, done=0)
    except IntegrityError:
        # Read again to see what is new; the sender confirms again.
        problem = f"{AT_THE_SAME_TIME} Nothing was stored twice; look again at what is left."
        import_claims.finish(claim, state=ImportState.READING, problem=problem, done=0)
    except Refused as error:
        _finish_for_good(claim, state=ImportState.REFUSED, problem=str(error))
    except Exception as error:  # a bug must show as one and not be retried for ever
        logger.exception("Import %d failed.", claim.row_id)
        problem = f"A fault in EconEvals ended this import: {type(error).__name__}: {error}"[:1000]
        _finish_for_good(claim, state=ImportState.REFUSED, problem=problem)


def _read(claim: Claim) -> None:
    with _opened(claim) as (upload, source):
        rows = import_preview(organization=upload.organization, source=source, progress=partial(_progress, claim))
    import_claims.finish(claim, state=ImportState.READ, preview=[asdict(row) for row in rows])


def _store(claim: Claim) -> None:
    with _opened(claim) as (upload, source):
        progress = partial(_progress, claim)
        rows, runs = import_collect(organization=upload.organization, source=source, progress=progress)
    with write_transaction():
        import_claims.lock(claim)
        experiment = import_write(
            organization=upload.organization,
            user=upload.created_by,
            archive=upload.name,
            runs=runs,
            name=upload.experiment_name,
        )
        shown = [asdict(row) for row in rows]
        _finish_for_good(claim, state=ImportState.STORED, preview=shown, experiment=experiment, problem="")


def _finish_for_good(claim: Claim, **values: Any) -> None:
    """Store the result and drop the archive."""
    with write_transaction():
        import_claims.finish(claim, **values)
        ImportArchive.objects.filter(upload_id=claim.row_id).delete()
        ImportUpload.objects.filter(pk=claim.row_id).exclude(content=None).update(content=None)


@contextmanager
def _opened(claim: Claim) -> Iterator[tuple[ImportUpload, Source]]:
    rows = import_claims.mine(claim).select_related("organization", "created_by").defer("content", "preview")
    upload: ImportUpload | None = rows.first()
    if upload is None:
        raise ClaimLost
    archive = ImportArchive.objects.filter(upload=upload).first() or upload
    if archive.content is None:
        raise ClaimLost
    with opened_archive(io.BytesIO(bytes(archive.content)), upload.name) as source:
        yield upload, source


def _progress(claim: Claim, done: int, total: int) -> None:
    """Called after every log. Ends the import if the process stops or the upload is no longer wanted."""
    if stopping.is_set():
        raise Stopping
    import_claims.tell(claim, done, total)
    let_go_of_connection()  # for the computation until the next log
