"""Database reads of kept archives and their contents."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone

from accounts.models import Organization, User
from environments.registry import GENERATION, score_format, variant_label
from infrastructure.claims import PATIENCE_SECONDS
from infrastructure.processes.workers import worker_was_here
from runs.models import Run
from runs.selectors.cells import environment_title
from workspace.transfer.models import ImportedRun, ImportUpload
from workspace.transfer.reading.replaying import notable_sentences

SECONDS_A_RUN, SECONDS_A_REPLY, SECONDS_A_SLOW_OPTIMUM = 0.2, 0.0008, 10.0
"""Approximate seconds to store a run, a reply and a slow optimum of a log, measured on two busy cores."""

ENOUGH_TO_TELL = 3
"""Number of processed logs from which the remaining time is shown."""


def upload_or_404(*, organization: Organization, user: User, upload_id: int) -> ImportUpload:
    """A person's upload in an organization, without its content. The preview is loaded on access."""
    return get_object_or_404(uploads(organization=organization, user=user), pk=upload_id)


def uploads(*, organization: Organization, user: User) -> QuerySet[ImportUpload]:
    """A person's uploads in an organization, newest first, without their content."""
    rows = ImportUpload.objects.select_related("experiment").defer("content", "preview", "experiment__spec")
    return rows.filter(organization=organization, created_by=user).order_by("-id")


def progress_of(upload: ImportUpload) -> dict[str, Any]:
    """A worker's progress with an upload.

    seconds_left: None while unknown
    waiting: a sentence that says why there is no progress; empty if there is
    version: a text that changes whenever something on the page changes
    """
    left = None
    waiting = _waiting(upload) if upload.is_working else ""
    if upload.is_working and not waiting and upload.begun_at and ENOUGH_TO_TELL <= upload.done < upload.total:
        spent = (timezone.now() - upload.begun_at).total_seconds()
        left = max(1.0, spent / upload.done * (upload.total - upload.done))
    return {
        "seconds_left": left,
        "waiting": waiting,
        "version": f"{upload.state}.{upload.fence}.{upload.done}.{len(waiting)}",
    }


def _waiting(upload: ImportUpload) -> str:
    """A sentence if no worker has claimed the upload since it was due; empty otherwise."""
    waited = timezone.now() - (upload.claim_until or upload.asked_at)
    if waited <= timedelta(seconds=settings.SWEEP_SECONDS + PATIENCE_SECONDS):
        return ""
    what = f"{upload.get_state_display()} {'goes on' if upload.begun_at else 'begins'}"
    if worker_was_here():
        return f"Other archives come first. {what} by itself when it is this one's turn."
    return f"No worker is running. {what} by itself as soon as one is started (bin/econevals work)."


def preview_of(upload: ImportUpload) -> dict[str, Any]:
    """The logs of an archive that was read or stored, as texts. seconds: rough time to store the new ones"""
    read = [row for row in upload.preview if not row["problem"]]
    fresh = [row for row in read if row["known_as"] is None]
    slow = len({(row["environment"], row["difficulty"], row["seed"]) for row in fresh if row["is_slow"]})
    seconds = SECONDS_A_RUN * len(fresh) + SECONDS_A_REPLY * sum(row["calls"] for row in fresh)
    return {
        "seconds": seconds + SECONDS_A_SLOW_OPTIMUM * slow,
        "fresh": [row | _row_texts(row) for row in fresh],
        "known": [row | _row_texts(row) for row in read if row["known_as"] is not None],
        "refused": [row["problem"] for row in upload.preview if row["problem"]],
    }


def import_source(run: Run) -> dict[str, Any]:
    """The source of an imported run, with both scores formatted."""
    source = ImportedRun.objects.select_related("created_by").defer("prompts").get(run=run)
    written = score_format(run.instance.environment, run.variant)
    recorded = "" if source.recorded_score is None else written.text(source.recorded_score)
    return {"source": source, "recorded": recorded, "ours": written.text(run.score)}


def _row_texts(row: dict[str, Any]) -> dict[str, Any]:
    """The texts of a row of the preview. sentences: notable facts about the log"""
    written = score_format(row["environment"], row["variant"])
    details = [
        variant_label(row["environment"], row["variant"]),
        "reasoning wording" if row["reasoning"] else "",
        "generator of the paper's text" if row["generator"] != "published" else "",
    ]
    whole, score, recorded = row["is_whole"], row["score"], row["recorded_score"]
    waits = "when stored" if whole and GENERATION[row["environment"]].reference_waits else "–"
    broken_off = [] if whole or row["known_as"] else ["It breaks off, so it gets no score."]
    return {
        "game": f"{environment_title(row['environment'])} {row['difficulty']}, seed {row['seed']}",
        "detail": ", ".join(filter(None, details)),
        "periods": f"{row['periods']}" if whole else f"{row['periods']} of {row['planned']}",
        "score": waits if score is None else written.text(score),
        "recorded": "" if recorded is None or score is None else written.text(recorded),
        "sentences": [*notable_sentences(row["differences"], row["facts"]), *broken_off],
    }
