"""Uploads of archives: create, store, discard. Workers do the long part, see `work`."""

from __future__ import annotations

import io
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts.models import Organization, User
from agents.tools import storable
from games.logs.cells import LogRefused
from infrastructure.transactions import write_transaction
from workspace.transfer.claims import import_claims
from workspace.transfer.models import ImportArchive, ImportState, ImportUpload
from workspace.transfer.reading.finding import candidates
from workspace.transfer.reading.sources import opened_archive
from workspace.transfer.services.imports import MAX_NAME

KEPT_FOR = timedelta(hours=24)


def upload_create(*, organization: Organization, user: User, file: UploadedFile[bytes]) -> ImportUpload:
    """Keep an archive for a worker to read. It replaces the person's earlier one unless that is being stored.

    Raises ValidationError for the field file."""
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
    """Have a worker store the read logs as an experiment. A second call has no effect.

    Raises ValidationError while it is read, or if nothing can be stored.
    """
    fresh = sum(not row["problem"] and row["known_as"] is None for row in upload.preview)
    if upload.state == ImportState.READ and not fresh:
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
    """Delete uploads after a day."""
    old = ImportUpload.objects.filter(created_at__lt=Now() - KEPT_FOR)
    if old.exclude(state=ImportState.STORING).exists():
        _delete_unless(old, kept_state=ImportState.STORING)


def uploads_drop(*, organization: Organization, user: User) -> None:
    """Delete the uploads of a former member."""
    ImportUpload.objects.filter(organization=organization, created_by=user).delete()


def _delete_unless(uploads: QuerySet[ImportUpload], *, kept_state: ImportState) -> int:
    """Delete uploads not in state `kept_state`; returns how many. They are locked first: a worker may change the state."""
    with write_transaction():
        locked = list(
            uploads.exclude(state=kept_state).select_for_update(no_key=True).order_by("id").values_list("id", flat=True)
        )
        ImportUpload.objects.filter(pk__in=locked).delete()
    return len(locked)
