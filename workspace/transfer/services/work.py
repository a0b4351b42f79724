"""A worker's part of an import: reading the archive, and storing it once its sender confirmed."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import Any

from django.db import IntegrityError

from games.logs.cells import LogRefused
from infrastructure.claims import Claim, ClaimLost
from infrastructure.transactions import write_transaction
from runs.engine.jobs import Job, JobFailed
from workspace.transfer.claims import import_claims
from workspace.transfer.models import ImportArchive, ImportState, ImportUpload
from workspace.transfer.reading.sources import Source, opened_archive
from workspace.transfer.services.imports import AT_THE_SAME_TIME, import_collect, import_preview, import_write


def _step(claim: Claim) -> None:
    try:
        _store(claim) if claim.state == ImportState.STORING else _read(claim)
    except IntegrityError:
        # Read again to see what is new; the sender confirms again.
        problem = f"{AT_THE_SAME_TIME} Nothing was stored twice; look again at what is left."
        import_claims.finish(claim, state=ImportState.READING, problem=problem, done=0)
    except LogRefused as error:
        raise JobFailed(str(error)) from error


def _fail(claim: Claim, problem: str) -> None:
    _finish_for_good(claim, state=ImportState.REFUSED, problem=problem)


IMPORTS = Job("import", import_claims, _step, _fail, advice="Send it in smaller parts.", most_tries=5)


def _read(claim: Claim) -> None:
    with _opened(claim) as (upload, source):
        rows = import_preview(
            organization=upload.organization, source=source, progress=partial(import_claims.store_progress, claim)
        )
    import_claims.finish(claim, state=ImportState.READ, preview=[asdict(row) for row in rows])


def _store(claim: Claim) -> None:
    with _opened(claim) as (upload, source):
        progress = partial(import_claims.store_progress, claim)
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
        preview_rows = [asdict(row) for row in rows]
        _finish_for_good(claim, state=ImportState.STORED, preview=preview_rows, experiment=experiment, problem="")


def _finish_for_good(claim: Claim, **values: Any) -> None:
    """Store the result and drop the archive."""
    with write_transaction():
        import_claims.finish(claim, **values)
        ImportArchive.objects.filter(upload_id=claim.row_id).delete()


@contextmanager
def _opened(claim: Claim) -> Iterator[tuple[ImportUpload, Source]]:
    rows = import_claims.mine(claim).select_related("organization", "created_by").defer("content", "preview")
    upload: ImportUpload | None = rows.first()
    if upload is None:
        raise ClaimLost
    archive = ImportArchive.objects.filter(upload=upload).first()
    if archive is None:
        raise ClaimLost
    with opened_archive(io.BytesIO(bytes(archive.content)), upload.name) as source:
        yield upload, source
