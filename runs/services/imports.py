"""Runs that were played elsewhere: looked at, then stored whole or not at all."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError
from django.utils import timezone

import environments.base
from accounts.models import Action, Organization, User
from accounts.services import audit_record
from agents.notes import storable
from econevals_site.templatetags.formats import counted
from runs.engine.writing import write_transaction
from runs.importing.finding import candidates
from runs.importing.logs import Log
from runs.importing.refusals import Refused, TooSlow
from runs.importing.replaying import Replay, needs_solving, replay, solved
from runs.importing.sources import Source, opened_archive
from runs.models import Experiment, ImportedRun, ImportUpload, Instance
from runs.services.import_rows import store_runs

KEPT_FOR = timedelta(hours=24)
MAX_NAME = 200
SLOW_PRODUCTS, MOST_SLOW = 60, 6
"""In the browser, so many procurement instances of so many products: proving an optimum takes up to fifteen seconds."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Found:
    """A log of a source: read, or refused for `problem`. `known_as` is the run it was imported as before."""

    folder: str
    problem: str = ""
    log: Log | None = None
    replay: Replay | None = None
    known_as: int | None = None


@dataclass(frozen=True)
class PreviewRow:
    """A log in words, as the preview shows it. score is None where it is only known once stored, or the run not whole."""

    folder: str
    problem: str = ""
    known_as: int | None = None
    environment: str = ""
    difficulty: str = ""
    seed: int = 0
    generator: str = ""
    model: str = ""
    variant: str = ""
    reasoning: bool = False
    periods: int = 0
    planned: int = 0
    calls: int = 0
    is_whole: bool = False
    score: float | None = None
    recorded_score: float | None = None
    differences: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    is_slow: bool = False


@dataclass(frozen=True)
class Imported:
    """What became of a source. experiment: None where nothing in it was new"""

    experiment: Experiment | None
    rows: list[PreviewRow]

    @property
    def stored(self) -> list[PreviewRow]:
        return [row for row in self.rows if not row.problem and row.known_as is None]


def import_preview(*, organization: Organization, source: Source, progress: Progress | None = None) -> list[PreviewRow]:
    """What an import would store and what not, without storing anything. Raises Refused for the source as a whole."""
    return [_row(found) for found in _found(organization, source, progress, solve=False)]


def import_store(
    *,
    organization: Organization,
    user: User | None,
    source: Source,
    name: str = "",
    progress: Progress | None = None,
) -> Imported:
    """Store every log that can be read and is not known yet as one experiment, in one transaction.

    Raises Refused for the source as a whole.
    """
    every = list(_found(organization, source, progress, solve=True))
    fresh = [found for found in every if not found.problem and found.known_as is None]
    experiment = None
    if fresh:
        try:
            with write_transaction():
                experiment = store_runs(
                    organization=organization,
                    user=user,
                    archive=source.name,
                    name=storable(name).strip()[:MAX_NAME] or f"Imported from {source.name}"[:MAX_NAME],
                    logs=[(found.log, found.replay) for found in fresh if found.log and found.replay],
                )
                subject = f"{source.name}: {counted(len(fresh), 'run,runs')} as experiment {experiment.pk}"
                audit_record(organization=organization, actor=user, action=Action.RUNS_IMPORTED, subject=subject)
        except IntegrityError:
            raise Refused(
                "The same logs are being imported by somebody else right now; look again in a moment."
            ) from None
    return Imported(experiment, [_row(found) for found in every])


def upload_create(*, organization: Organization, user: User, file: UploadedFile) -> ImportUpload:
    """Keep a sent archive with its preview until it is stored, discarded or a day old. Raises ValidationError for file."""
    name = storable(file.name or "archive.zip")[-MAX_NAME:]
    content = file.read()
    try:
        with opened_archive(io.BytesIO(content), name) as source:
            rows = import_preview(organization=organization, source=source)
    except Refused as error:
        raise ValidationError({"file": str(error)}) from None
    slow = sum(row.is_slow for row in rows)
    if slow > MOST_SLOW:
        raise ValidationError(
            {
                "file": f"{slow} of these procurement instances have {SLOW_PRODUCTS} products or more, and proving their "
                f"optima takes minutes. Send at most {MOST_SLOW} at once, or use manage.py import on the server."
            }
        )
    with write_transaction():
        old = ImportUpload.objects.filter(created_at__lt=timezone.now() - KEPT_FOR)
        (old | ImportUpload.objects.filter(organization=organization, created_by=user)).delete()
        return ImportUpload.objects.create(
            organization=organization,
            created_by=user,
            name=name,
            content=content,
            preview=[asdict(row) for row in rows],
        )


def upload_store(*, upload: ImportUpload, user: User, name: str = "") -> Imported:
    """Import a kept archive and let go of it. Raises ValidationError for file."""
    try:
        with opened_archive(io.BytesIO(bytes(upload.content)), upload.name) as source:
            imported = import_store(organization=upload.organization, user=user, source=source, name=name)
    except Refused as error:
        raise ValidationError({"file": str(error)}) from None
    upload_discard(upload=upload)
    return imported


def upload_discard(*, upload: ImportUpload) -> None:
    with write_transaction():
        ImportUpload.objects.filter(pk=upload.pk).delete()


def _found(organization: Organization, source: Source, progress: Progress | None, *, solve: bool) -> Iterator[Found]:
    known = dict(ImportedRun.objects.filter(organization=organization).values_list("content_hash", "run_id"))
    here: dict[str, str] = {}
    listed = candidates(source)
    for number, candidate in enumerate(listed, start=1):
        try:
            yield _look(organization, candidate.folder, candidate.read(with_replies=solve), known, here, solve)
        except TooSlow:
            raise
        except Refused as error:
            yield Found(candidate.folder, problem=storable(str(error)))
        if progress:
            progress(number, len(listed))


def _look(
    organization: Organization, folder: str, log: Log, known: dict[str, int], here: dict[str, str], solve: bool
) -> Found:
    if log.content_hash in here:
        raise Refused(f"{folder} is the same log as {here[log.content_hash]}.")
    if not log.model:
        raise Refused(f"{folder} does not say which model played.")
    here[log.content_hash] = folder
    if log.content_hash in known:
        return Found(folder, log=log, known_as=known[log.content_hash])
    instance = _with_reference(organization, log.game.instance, solve)
    return Found(folder, log=log, replay=replay(log, instance))


def _with_reference(organization: Organization, problem: environments.base.Instance, solve: bool) -> Any:
    """The instance with what scoring needs, taken from the same instance stored before where there is one."""
    if not needs_solving(problem):
        return problem
    row = Instance.objects.filter(organization=organization, content_hash=problem.content_hash).first()
    if row is not None and row.reference is not None:
        return replace(problem, reference=row.reference)
    return solved(problem) if solve or problem.environment != "procurement" else problem


def _row(found: Found) -> PreviewRow:
    log, played = found.log, found.replay
    if log is None:
        return PreviewRow(found.folder, problem=found.problem)
    instance = log.game.instance
    row = PreviewRow(
        folder=found.folder,
        known_as=found.known_as,
        environment=instance.environment,
        difficulty=instance.difficulty,
        seed=instance.seed,
        generator=instance.generator,
        model=log.model,
        variant=log.game.variant,
        reasoning=log.game.reasoning,
        periods=len(log.steps),
        planned=log.game.periods,
        calls=log.queries,
        facts=log.game.facts,
    )
    if played is None:
        return row
    return replace(
        row,
        is_whole=played.is_whole,
        score=played.score.value,
        recorded_score=played.recorded_score,
        differences=played.differences,
        is_slow=needs_solving(played.instance) and len(instance.parameters.get("offers", ())) >= SLOW_PRODUCTS,
    )
