"""A worker's part of an import. The only place that turns exceptions into states of an upload."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from django.db import IntegrityError, InterfaceError, OperationalError

from infrastructure.connections import let_go_of_connection
from infrastructure.processes.stopping import stopping
from infrastructure.transactions import write_transaction
from runs.engine import heartbeat
from transfer import claims as import_claims
from transfer.claims import Claim, ClaimLost
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
        logger.info("Import %d is wanted no more, or is another worker's.", claim.upload_id)
    except (OperationalError, InterfaceError):
        # The database is away or full. The claim expires, and the next worker starts again.
        logger.warning("Import %d waits for the database.", claim.upload_id, exc_info=True)
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
        _refuse(claim, str(error))
    except Exception as error:  # a bug must show as one and not be retried for ever
        logger.exception("Import %d failed.", claim.upload_id)
        _refuse(claim, f"A fault in EconEvals ended this import: {type(error).__name__}: {error}"[:1000])


def _read(claim: Claim) -> None:
    upload = _upload(claim)
    with _source(claim, upload) as source:
        rows = import_preview(organization=upload.organization, source=source, progress=_Progress(claim))
    import_claims.finish(claim, state=ImportState.READ, preview=[asdict(row) for row in rows])


def _store(claim: Claim) -> None:
    upload = _upload(claim)
    with _source(claim, upload) as source:
        collected = import_collect(organization=upload.organization, source=source, progress=_Progress(claim))
    with write_transaction():
        import_claims.lock(claim)
        experiment = import_write(
            organization=upload.organization,
            user=upload.created_by,
            collected=collected,
            name=upload.experiment_name,
        )
        rows = [asdict(row) for row in collected.rows]
        import_claims.finish(claim, state=ImportState.STORED, preview=rows, experiment=experiment, problem="")
        _drop_archive(claim)


def _refuse(claim: Claim, problem: str) -> None:
    with write_transaction():
        import_claims.finish(claim, state=ImportState.REFUSED, problem=problem)
        _drop_archive(claim)


def _upload(claim: Claim) -> ImportUpload:
    rows = import_claims.mine(claim).select_related("organization", "created_by").defer("content", "preview")
    upload: ImportUpload | None = rows.first()
    if upload is None:
        raise ClaimLost
    return upload


@contextmanager
def _source(claim: Claim, upload: ImportUpload) -> Iterator[Source]:
    archive = ImportArchive.objects.filter(upload=upload).first()
    content = upload.content if archive is None else archive.content
    if content is None:
        raise ClaimLost
    with opened_archive(io.BytesIO(bytes(content)), upload.name) as source:
        yield source


def _drop_archive(claim: Claim) -> None:
    ImportArchive.objects.filter(upload_id=claim.upload_id).delete()
    ImportUpload.objects.filter(pk=claim.upload_id).exclude(content=None).update(content=None)


class _Progress:
    """Called after every log. Ends the import if the process stops or the upload is no longer wanted."""

    def __init__(self, claim: Claim):
        self._claim = claim

    def __call__(self, done: int, total: int) -> None:
        if stopping.is_set():
            raise Stopping
        import_claims.tell(self._claim, done, total)
        let_go_of_connection()  # for the computation until the next log
