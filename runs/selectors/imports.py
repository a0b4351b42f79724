"""Kept archives and what is in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404

from accounts.models import Organization, User
from runs.models import ImportedRun, ImportUpload, Run
from runs.selectors.cells import environment_title
from runs.selectors.score_formats import score_format, variant_words


@dataclass(frozen=True)
class PreviewLine:
    """A log of the archive in words; `told` are the sentences worth reading."""

    folder: str
    game: str
    detail: str
    model: str
    periods: str
    score: str
    recorded: str
    told: list[str]
    known_as: int | None
    is_whole: bool


@dataclass(frozen=True)
class Preview:
    fresh: list[PreviewLine]
    known: list[PreviewLine]
    refused: list[str]


def upload_or_404(*, organization: Organization, user: User, upload_id: int) -> ImportUpload:
    """A kept archive of this person in this organization, without its content."""
    rows = ImportUpload.objects.filter(organization=organization, created_by=user, pk=upload_id)
    found = rows.select_related("organization").defer("content").first()
    if found is None:
        raise Http404
    return found


def preview_of(upload: ImportUpload) -> Preview:
    lines = [_line(row) for row in upload.preview if not row["problem"]]
    return Preview(
        fresh=[line for line in lines if line.known_as is None],
        known=[line for line in lines if line.known_as is not None],
        refused=[row["problem"] for row in upload.preview if row["problem"]],
    )


def import_source(run: Run) -> dict[str, Any]:
    """Where an imported run comes from, with its two scores as they are written."""
    source = ImportedRun.objects.select_related("created_by").defer("prompts").get(run=run)
    written = score_format(run.instance.environment, run.variant)
    recorded = "" if source.recorded_score is None else written.text(source.recorded_score)
    return {"source": source, "recorded": recorded, "ours": written.text(run.score)}


def _line(row: dict[str, Any]) -> PreviewLine:
    written = score_format(row["environment"], row["variant"])
    words = [variant_words(row["variant"])]
    if row["reasoning"]:
        words.append("reasoning wording")
    if row["generator"] != "published":
        words.append("generator of the paper's text")
    whole, score, recorded = row["is_whole"], row["score"], row["recorded_score"]
    waits = "when stored" if whole and row["environment"] == "procurement" else "–"
    facts = [f"{label}: {text}." for label, text in row["facts"].items()]
    return PreviewLine(
        folder=row["folder"],
        game=f"{environment_title(row['environment'])} {row['difficulty']}, seed {row['seed']}",
        detail=", ".join(words),
        model=row["model"],
        periods=f"{row['periods']}" if whole else f"{row['periods']} of {row['planned']}",
        score=waits if score is None else written.text(score),
        recorded="" if recorded is None or score is None else written.text(recorded),
        told=[
            *row["differences"],
            *facts,
            *([] if whole or row["known_as"] else ["It breaks off, so it gets no score."]),
        ],
        known_as=row["known_as"],
        is_whole=whole,
    )
