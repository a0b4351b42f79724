"""Imports of runs: previewed, then stored whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import IntegrityError

import environments.base
from accounts.models import Action, Organization, User
from accounts.services import audit_record
from agents.notes import storable
from environments.registry import GENERATION
from infrastructure.text.formats import counted
from infrastructure.transactions import write_transaction
from runs.models import Experiment, Instance
from transfer.models import ImportedRun
from transfer.reading.facts import facts_of
from transfer.reading.finding import candidates
from transfer.reading.logs import Log
from transfer.reading.refusals import Refused
from transfer.reading.replaying import Replay, needs_solving, replay, solved, told
from transfer.reading.sources import Source
from transfer.services.rows import ReadyRun, ready, store_runs

MAX_NAME = 200

AT_THE_SAME_TIME = "The same logs were stored by somebody else at this moment."

Progress = Callable[[int, int], None]
"""Called with logs done and in all, before the first and after each. An exception of it ends the import."""


@dataclass(frozen=True)
class Found:
    """A log of a source, read or refused for `problem`. `known_as`: the run of an earlier import."""

    folder: str
    problem: str = ""
    log: Log | None = None
    replay: Replay | None = None
    known_as: int | None = None


@dataclass(frozen=True)
class PreviewRow:
    """A log in the preview. score: None if it is known only after storing or the run is incomplete; recorded_score: our
    score of the log's results"""

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

    @property
    def told(self) -> list[str]:
        """The sentences worth reading."""
        return told(self.differences, self.facts)


@dataclass(frozen=True)
class Imported:
    """The result of an import. experiment: None if nothing was new"""

    experiment: Experiment | None
    rows: list[PreviewRow]

    @property
    def stored(self) -> list[PreviewRow]:
        return [row for row in self.rows if not row.problem and row.known_as is None]


@dataclass(frozen=True)
class Collected:
    """A source that was read and replayed. runs: those that can be stored"""

    source: str
    rows: list[PreviewRow]
    runs: list[ReadyRun]


def import_preview(*, organization: Organization, source: Source, progress: Progress | None = None) -> list[PreviewRow]:
    """Preview an import without storing anything. Raises Refused for the whole source."""
    return [_row(found) for found in _found(organization, source, progress, solve=False)]


def import_store(
    *,
    organization: Organization,
    user: User | None,
    source: Source,
    name: str = "",
    progress: Progress | None = None,
) -> Imported:
    """Store every new readable log as one experiment, in one transaction.

    Raises Refused for the whole source.
    """
    collected = import_collect(organization=organization, source=source, progress=progress)
    try:
        with write_transaction():
            experiment = import_write(organization=organization, user=user, collected=collected, name=name)
    except IntegrityError:
        raise Refused(f"{AT_THE_SAME_TIME} Look again in a moment.") from None
    return Imported(experiment, collected.rows)


def import_collect(*, organization: Organization, source: Source, progress: Progress | None = None) -> Collected:
    """Read, solve and replay, which takes long. Raises Refused for the whole source."""
    collected = Collected(source.name, [], [])
    for found in _found(organization, source, progress, solve=True):
        collected.rows.append(_row(found))
        if found.log and found.replay:
            collected.runs.append(ready(found.log, found.replay))
    return collected


def import_write(
    *, organization: Organization, user: User | None, collected: Collected, name: str = ""
) -> Experiment | None:
    """Store what was collected in the caller's transaction. Returns the experiment, or None if nothing is new.

    Raises IntegrityError if one of the logs was stored meanwhile.
    """
    if not collected.runs:
        return None
    experiment = store_runs(
        organization=organization,
        user=user,
        archive=collected.source,
        name=storable(name).strip()[:MAX_NAME] or f"Imported from {collected.source}"[:MAX_NAME],
        runs=collected.runs,
    )
    stored = counted(len(collected.runs), "run,runs")
    subject = f"{collected.source}: {stored} as experiment {experiment.pk}"
    audit_record(organization=organization, actor=user, action=Action.RUNS_IMPORTED, subject=subject)
    return experiment


def _found(organization: Organization, source: Source, progress: Progress | None, *, solve: bool) -> Iterator[Found]:
    known = dict(ImportedRun.objects.filter(organization=organization).values_list("content_hash", "run_id"))
    here: dict[str, str] = {}
    references: dict[str, Any] = {}
    listed = candidates(source)
    if progress:
        progress(0, len(listed))
    for number, candidate in enumerate(listed, start=1):
        try:
            log = candidate.read(with_replies=solve)
            _check(candidate.folder, log, here)
            if (run := known.get(log.content_hash)) is not None:
                yield Found(candidate.folder, log=log, known_as=run)
            else:
                instance = _with_reference(organization, log.game.instance, references, solve)
                yield Found(candidate.folder, log=log, replay=replay(log, instance))
        except Refused as error:
            yield Found(candidate.folder, problem=storable(str(error)))
        if progress:
            progress(number, len(listed))


def _check(folder: str, log: Log, here: dict[str, str]) -> None:
    if log.content_hash in here:
        raise Refused(f"{folder} is the same log as {here[log.content_hash]}.")
    if not log.model:
        raise Refused(f"{folder} does not say which model played.")
    here[log.content_hash] = folder


def _with_reference(
    organization: Organization, problem: environments.base.Instance, references: dict[str, Any], solve: bool
) -> environments.base.Instance:
    """The instance with its reference: from an earlier log, from a stored instance, or computed.

    A folder often holds many models on the same few instances.
    """
    if not needs_solving(problem):
        return problem
    name = problem.content_hash
    if name not in references:
        row = Instance.objects.filter(organization=organization, content_hash=name).first()
        if row is not None and row.reference is not None:
            references[name] = row.reference
        elif solve or not GENERATION[problem.environment].reference_waits:
            references[name] = solved(problem).reference
    return replace(problem, reference=references[name]) if name in references else problem


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
        facts=facts_of(log),
    )
    if played is None:
        return row
    return replace(
        row,
        is_whole=played.is_whole,
        score=played.score.value,
        recorded_score=played.recorded_score,
        differences=played.differences,
        facts=played.facts,
        is_slow=needs_solving(played.instance) and GENERATION[instance.environment].is_slow(instance),
    )
