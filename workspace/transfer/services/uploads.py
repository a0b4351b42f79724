"""Uploads of archives: create, store, discard. Workers read and store them, by claims (infrastructure.claims).

Workers ignore uploads of senders who may no longer import.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from functools import partial
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from accounts.models import Membership, Organization, Role, User
from agents.tools import storable
from games.logs.cells import LogRefused
from infrastructure.claims import Claim, ClaimLost, Claims
from infrastructure.transactions import write_transaction
from runs.engine.jobs import Job, JobFailed
from workspace.transfer.models import WORKING, ImportArchive, ImportState, ImportUpload
from workspace.transfer.reading.finding import candidates
from workspace.transfer.reading.sources import Source, opened_archive
from workspace.transfer.services.imports import AT_THE_SAME_TIME, MAX_NAME, import_collect, import_preview, import_write

AUTHOR_MAY_IMPORT = Exists(
    Membership.objects.filter(
        organization=OuterRef("organization"), user=OuterRef("created_by"), role__in=(Role.OWNER, Role.EDITOR)
    )
)


class UploadClaims(Claims[ImportUpload]):
    def claim_next(self) -> Claim | None:
        """Claim the upload that has waited longest. Uploads whose sender may no longer import are deleted."""
        unwelcome = self.due().exclude(AUTHOR_MAY_IMPORT)
        if unwelcome.exists():
            with write_transaction():
                unwelcome.delete()
        return super().claim_next()

    def lock(self, claim: Claim) -> None:
        """Lock upload and membership until the transaction ends. Raises ClaimLost.

        The lock blocks changes of members, which lock their organization's row. It permits new rows that refer to that
        row.
        """
        organization = ImportUpload.objects.filter(pk=claim.row_id).values("organization")
        list(Organization.objects.filter(pk__in=organization).select_for_update(no_key=True))
        locked = self.mine(claim).filter(AUTHOR_MAY_IMPORT).select_for_update(no_key=True, of=("self",))
        if not list(locked.values_list("id")):
            raise ClaimLost


import_claims = UploadClaims(ImportUpload, WORKING, "transfer.tasks.import_next", AUTHOR_MAY_IMPORT)


KEPT_FOR = timedelta(hours=24)


def upload_create(*, organization: Organization, user: User, file: UploadedFile[bytes]) -> ImportUpload:
    """Keep an archive for a worker to read. It replaces the person's earlier upload, unless that is being stored.

    Raises ValidationError for the field file.
    """
    name = storable(file.name or "archive.zip")[-MAX_NAME:]
    content = file.read()
    try:
        with opened_archive(io.BytesIO(content), name) as source:
            total = len(candidates(source))
    except LogRefused as error:
        raise ValidationError({"file": str(error)}) from None
    with write_transaction():
        _delete_unless(
            ImportUpload.objects.filter(organization=organization, created_by=user), kept_state=ImportState.STORING
        )
        upload = ImportUpload.objects.create(organization=organization, created_by=user, name=name, total=total)
        ImportArchive.objects.create(upload=upload, content=content)
    transaction.on_commit(import_claims.wake)
    return upload


def upload_store(*, upload: ImportUpload, name: str = "") -> None:
    """Make a worker store the readable logs as one experiment. A second call has no effect.

    Raises ValidationError while the upload is being read, or if nothing can be stored.
    """
    if upload.state == ImportState.READ and all(
        row["problem"] or row["known_as"] is not None for row in upload.preview
    ):
        raise ValidationError("This archive has nothing new to import.")
    with write_transaction():
        updated = ImportUpload.objects.filter(pk=upload.pk, state=ImportState.READ).update(
            state=ImportState.STORING,
            experiment_name=storable(name).strip()[:MAX_NAME],
            problem="",
            done=0,
            total=len(upload.preview),
            asked_at=Now(),
            begun_at=None,
        )
    if updated:
        transaction.on_commit(import_claims.wake)
    elif upload.state == ImportState.READING:
        raise ValidationError("This archive is still being read.")


def upload_discard(*, upload: ImportUpload) -> bool:
    """Delete an upload; its worker stops after the current log. Returns False if it was stored already."""
    return bool(_delete_unless(ImportUpload.objects.filter(pk=upload.pk), kept_state=ImportState.STORED))


def uploads_expire() -> None:
    """Delete uploads that are older than a day."""
    old = ImportUpload.objects.filter(created_at__lt=Now() - KEPT_FOR)
    if old.exclude(state=ImportState.STORING).exists():
        _delete_unless(old, kept_state=ImportState.STORING)


def uploads_drop(*, organization: Organization, user: User) -> None:
    """Delete the uploads of a former member."""
    ImportUpload.objects.filter(organization=organization, created_by=user).delete()


def _delete_unless(uploads: QuerySet[ImportUpload], *, kept_state: ImportState) -> int:
    """Delete uploads that are not in `kept_state`; return their number.

    They are locked first, since a worker may change the state.
    """
    with write_transaction():
        locked = list(
            uploads.exclude(state=kept_state).select_for_update(no_key=True).order_by("id").values_list("id", flat=True)
        )
        ImportUpload.objects.filter(pk__in=locked).delete()
    return len(locked)


def _step(claim: Claim) -> None:
    try:
        _store(claim) if claim.state == ImportState.STORING else _read(claim)
    except IntegrityError:
        # The archive is read again to find what is new. Then the sender must confirm again.
        import_claims.finish(
            claim,
            state=ImportState.READING,
            problem=f"{AT_THE_SAME_TIME} Nothing was stored twice; look again at what is left.",
            done=0,
        )
    except LogRefused as error:
        raise JobFailed(str(error)) from error


def _read(claim: Claim) -> None:
    with _opened(claim) as (upload, source):
        rows = import_preview(
            organization=upload.organization, source=source, progress=partial(import_claims.store_progress, claim)
        )
    import_claims.finish(claim, state=ImportState.READ, preview=[asdict(row) for row in rows])


def _store(claim: Claim) -> None:
    with _opened(claim) as (upload, source):
        rows, runs = import_collect(
            organization=upload.organization, source=source, progress=partial(import_claims.store_progress, claim)
        )
    with write_transaction():
        import_claims.lock(claim)
        _finish_for_good(
            claim,
            state=ImportState.STORED,
            preview=[asdict(row) for row in rows],
            experiment=import_write(
                organization=upload.organization,
                user=upload.created_by,
                archive=upload.name,
                runs=runs,
                name=upload.experiment_name,
            ),
        )


def _finish_for_good(claim: Claim, problem: str = "", **values: Any) -> None:
    """Store the final result, by default a refusal, and delete the archive."""
    with write_transaction():
        import_claims.finish(claim, **{"state": ImportState.REFUSED, "problem": problem} | values)
        ImportArchive.objects.filter(upload_id=claim.row_id).delete()


IMPORTS = Job("import", import_claims, _step, _finish_for_good, advice="Send it in smaller parts.", most_tries=5)


@contextmanager
def _opened(claim: Claim) -> Iterator[tuple[ImportUpload, Source]]:
    rows = import_claims.mine(claim).select_related("organization", "created_by").defer("content", "preview")
    upload: ImportUpload | None = rows.first()
    archive = ImportArchive.objects.filter(upload=upload).first()
    if upload is None or archive is None:
        raise ClaimLost
    with opened_archive(io.BytesIO(bytes(archive.content)), upload.name) as source:
        yield upload, source
