"""Whether an archive holds what it claims: hashes, complete runs, scores from actions, and tables byte for byte."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from environments.generation import DESIGN, is_design, parse_seeds
from environments.prompts.variants import base_variant, is_own
from infrastructure.text.formats import counted
from pages.registrations.archive.members import MANIFEST, RUNS, STUDY
from pages.registrations.archive.reading import Archive
from pages.registrations.archive.replaying import Replay, replay
from pages.registrations.evidence.records import Evidence, EvidenceRun
from pages.registrations.evidence.tables import files_of
from runs.launching.fields import FIELDS
from runs.launching.plan import LaunchError, LaunchPlan
from runs.models import Agent, Design, PromptVariant, RunState

OF_PROVIDERS = ("batch", "flex")
"""Fields of a launch that do not change its runs and whose checks need an endpoint."""


@dataclass(frozen=True)
class Finding:
    """The comparison of one part of the archive. detail: a sentence, empty if there is nothing to say"""

    part: str
    is_same: bool
    detail: str = ""

    @property
    def line(self) -> str:
        return f"{self.part}: {'same' if self.is_same else 'differs'}{f' ({self.detail})' if self.detail else ''}"


def findings_of(archive: Archive) -> Iterator[Finding]:
    """Compare every part of an archive, one after the other. Raises ArchiveRefused for records that cannot be read."""
    yield from _hashes(archive)
    yield _complete(archive.evidence)
    replays = {run.run: replayed for run, replayed in _replays(archive)}
    problems = [f"run {number}: {replayed.problem}" for number, replayed in replays.items() if replayed.problem]
    yield Finding("scores", not problems, _some(problems) or f"{counted(len(replays), 'run,runs')} played again")
    yield from _tables(archive, replays)


def _hashes(archive: Archive) -> Iterator[Finding]:
    is_registered = archive.evidence.sha256 == archive.registered_sha256
    yield Finding(STUDY, is_registered, f"SHA-256 {archive.evidence.sha256}")
    missing = sorted(archive.hashes.keys() - archive.members.keys())
    added = sorted(archive.members.keys() - archive.hashes.keys() - {MANIFEST})
    changed = sorted(
        name for name, digest in archive.hashes.items() if name in archive.members and archive.sha256(name) != digest
    )
    texts = [
        *(f"{name} is missing" for name in missing),
        *(f"{name} is not in the manifest" for name in added),
        *(f"{name} has another hash than in the manifest" for name in changed),
    ]
    yield Finding("files", not texts, _some(texts))


def _complete(evidence: Evidence) -> Finding:
    """Whether every run that the study launches is in the archive."""
    missing = []
    for state in evidence.launches:
        number = state.number
        runs = [run for run in evidence.runs if run.launch == number]
        if not state.launched_at or state.is_deleted or state.experiment is None:
            continue
        try:
            planned = _plan(evidence, number, runs).runs
        except LaunchError as error:
            return Finding(RUNS, is_same=False, detail=f"launch {number}: {error}")
        there = {(run.environment, run.difficulty, run.seed, run.agent, run.variant) for run in runs}
        missing += [
            f"launch {number}: {run.agent.slug} on {run.environment} {run.difficulty}, seed {run.seed}"
            for run in planned
            if (run.environment, run.difficulty, run.seed, run.agent.slug, run.variant) not in there
        ]
    return Finding(
        RUNS, not missing, f"missing: {_some(missing)}" if missing else counted(len(evidence.runs), "run,runs")
    )


def _plan(evidence: Evidence, number: int, runs: Sequence[EvidenceRun]) -> LaunchPlan:
    """The plan of a launch with rows that are not stored. Designs and own prompts are those of its runs."""
    launch = evidence.study.launches[number - 1]
    designs = {run.difficulty: run for run in runs if is_design(run.difficulty)}
    own = {(run.environment, run.variant) for run in runs if is_own(run.variant)}
    return LaunchPlan(
        environments=tuple(launch.environments),
        difficulties=tuple(launch.difficulties),
        seeds=parse_seeds(launch.seeds),
        agents=tuple(
            Agent(slug=slug, name=slug, baseline=evidence.agents.get(slug, {}).get("baseline", ""))
            for slug in dict.fromkeys(launch.agents)
        ),
        variants=tuple(launch.variants),
        settings=launch.settings,
        designs=tuple(
            Design(environment=run.environment, slug=name.removeprefix(DESIGN), settings=run.settings)
            for name, run in designs.items()
        ),
        prompts={
            (environment, variant): PromptVariant(
                environment=environment, base=base_variant(variant), slug=variant.partition("+")[2]
            )
            for environment, variant in own
        },
        **{name: getattr(launch, name) for name in FIELDS if name not in OF_PROVIDERS},
    )


def _replays(archive: Archive) -> Iterator[tuple[EvidenceRun, Replay]]:
    """Play every finished run again. A run whose periods are missing fails too."""
    finished = {run.run: run for run in archive.evidence.runs if run.state == RunState.FINISHED}
    for number, periods in groupby(archive.periods(), lambda record: record.get("run")):
        if (run := finished.pop(number, None) if isinstance(number, int) else None) is not None:
            yield run, replay(run, periods)
    for run in finished.values():
        yield run, Replay(None, "its periods are missing")


def _tables(archive: Archive, replays: Mapping[int, Replay]) -> Iterator[Finding]:
    """Make each table again from the scores that were computed here."""
    runs = (replace(run, score=replays[run.run].score) if run.run in replays else run for run in archive.evidence.runs)
    for name, content in files_of(archive.evidence.with_runs(runs)).items():
        is_there = name in archive.members
        is_same = is_there and archive.content(name) == content.encode()
        yield Finding(name, is_same, "" if is_there else "missing")


def _some(texts: Sequence[str], most: int = 5) -> str:
    return "; ".join(texts[:most]) + (f"; and {len(texts) - most} more" if len(texts) > most else "")
