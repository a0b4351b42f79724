"""Imports of runs. An import is previewed first, then stored completely or not at all."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import IntegrityError

import environments.base
from accounts.models import Action, Organization, User
from accounts.services.audit import audit_record
from agents.tools import storable
from environments.registry import GENERATION
from games.logs.cells import LogRefused
from infrastructure.text.formats import counted
from infrastructure.transactions import write_transaction
from runs.models import Experiment, Instance
from workspace.transfer.models import ImportedRun
from workspace.transfer.reading import replaying
from workspace.transfer.reading.finding import candidates
from workspace.transfer.reading.logs import Log
from workspace.transfer.reading.sources import Source, refuse_if
from workspace.transfer.services.rows import ReadyRun, ready, store_runs

MAX_NAME = 200

AT_THE_SAME_TIME = "The same logs were stored by somebody else at this moment."

DELETED = (
    "This log belongs to an experiment that was deleted less than a day ago. Undo that, or delete it for good on the page "
    "Recently deleted."
)

REPLAY_FIELDS = ("is_whole", "recorded_score", "differences", "facts")
"""Fields of a Replay that the preview row of its log has too."""

Progress = Callable[[int, int], None]
"""Called with (logs done, all logs), before the first log and after each. Its exceptions end the import."""


@dataclass(frozen=True)
class PreviewRow:
    """A log in the preview. `problem` is the reason if it was refused.

    known_as: the run of an earlier import
    score: None if the run is incomplete, or if it is known only after storing
    recorded_score: the score of the logged results, computed here
    """

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
    """The result of an import. experiment: None if nothing was new"""

    experiment: Experiment | None
    rows: list[PreviewRow]


def unseen(done: int, total: int) -> None:
    """Progress that nobody looks at."""


def import_preview(*, organization: Organization, source: Source, progress: Progress = unseen) -> list[PreviewRow]:
    """Preview an import without storing anything. Raises LogRefused if the whole source is refused."""
    return [row for row, _ in _read_logs(organization, source, progress, solve=False)]


def import_store(
    *, organization: Organization, user: User | None, source: Source, name: str = "", progress: Progress = unseen
) -> Imported:
    """Store every new readable log as a run of one experiment, in one transaction.

    Raises LogRefused if the whole source is refused.
    """
    rows, runs = import_collect(organization=organization, source=source, progress=progress)
    try:
        with write_transaction():
            experiment = import_write(organization=organization, user=user, archive=source.name, runs=runs, name=name)
    except IntegrityError:
        raise LogRefused(f"{AT_THE_SAME_TIME} Look again in a moment.") from None
    return Imported(experiment, rows)


def import_collect(
    *, organization: Organization, source: Source, progress: Progress = unseen
) -> tuple[list[PreviewRow], list[ReadyRun]]:
    """Return (rows of the preview, runs that can be stored). This takes long.

    Raises LogRefused if the whole source is refused.
    """
    rows = [
        (row, ready(*read) if read else None) for row, read in _read_logs(organization, source, progress, solve=True)
    ]
    return [row for row, _ in rows], [run for _, run in rows if run]


def import_write(
    *, organization: Organization, user: User | None, archive: str, runs: list[ReadyRun], name: str = ""
) -> Experiment | None:
    """Store collected runs in the caller's transaction. Returns the experiment, or None if nothing is new.

    Raises IntegrityError if one of the logs was stored meanwhile.
    """
    if not runs:
        return None
    experiment = store_runs(
        organization=organization,
        user=user,
        archive=archive,
        name=storable(name).strip()[:MAX_NAME] or f"Imported from {archive}"[:MAX_NAME],
        runs=runs,
    )
    audit_record(
        organization=organization,
        actor=user,
        action=Action.RUNS_IMPORTED,
        subject=f"{archive}: {counted(len(runs), 'run,runs')} as experiment {experiment.pk}",
    )
    return experiment


def _read_logs(
    organization: Organization, source: Source, progress: Progress, *, solve: bool
) -> Iterator[tuple[PreviewRow, tuple[Log, replaying.Replay] | None]]:
    """Yield the row in the preview of each log of a source, and the log's data if it can be stored."""
    sources = ImportedRun.objects.filter(organization=organization)
    run_ids = dict(sources.values_list("content_hash", "run_id"))
    deleted = set(sources.exclude(run__deleted_at=None).values_list("run_id", flat=True))
    folders_by_hash: dict[str, str] = {}
    references: dict[str, Any] = {}
    listed = candidates(source)
    progress(0, len(listed))
    for number, (folder, read) in enumerate(listed, start=1):
        try:
            log = read(with_replies=solve)
            earlier_folder = folders_by_hash.get(log.content_hash)
            refuse_if(earlier_folder is not None, f"{folder} is the same log as {earlier_folder}.")
            refuse_if(not log.model, f"{folder} does not say which model played.")
            folders_by_hash[log.content_hash] = folder
            row = _row(folder, log)
            run = run_ids.get(log.content_hash)
            refuse_if(run in deleted, DELETED)
            if run is not None:
                yield replace(row, known_as=run), None
            else:
                instance = _with_reference(organization, log.game.instance, references, solve)
                replayed = replaying.replay(log, instance)
                row = replace(
                    row,
                    score=replayed.score.value,
                    **{name: getattr(replayed, name) for name in REPLAY_FIELDS},
                    is_slow=replaying.needs_solving(instance) and GENERATION[row.environment].is_slow(instance),
                )
                yield row, (log, replayed)
        except LogRefused as error:
            yield PreviewRow(folder, problem=storable(str(error))), None
        progress(number, len(listed))


def _with_reference(
    organization: Organization, problem: environments.base.Instance, references: dict[str, Any], solve: bool
) -> environments.base.Instance:
    """The instance with its reference, from an earlier log, from a stored instance, or computed.

    References are reused, since a folder often holds many models on the same few instances.
    """
    if not replaying.needs_solving(problem):
        return problem
    name = problem.content_hash
    if name not in references:
        row = Instance.objects.filter(organization=organization, content_hash=name).first()
        if row is not None and row.reference is not None:
            references[name] = row.reference
        elif solve or not GENERATION[problem.environment].reference_waits:
            references[name] = GENERATION[problem.environment].reference(problem)
    return replace(problem, reference=references[name]) if name in references else problem


def _row(folder: str, log: Log) -> PreviewRow:
    return PreviewRow(
        folder=folder,
        **{name: getattr(log.game.instance, name) for name in ("environment", "difficulty", "seed", "generator")},
        **{name: getattr(log.game, name) for name in ("variant", "reasoning")},
        model=log.model,
        periods=len(log.steps),
        planned=log.game.periods,
        calls=log.queries,
        facts=log.facts,
    )
