"""An archive read without a database. Everything in it comes from strangers, so sizes and types are checked."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from environments.json_text import MOST_CHARACTERS, NotJSON, read_json
from pages.registrations.archive.members import FORMAT, MANIFEST, PERIODS, RUNS, STUDY
from pages.registrations.evidence.records import Evidence, EvidenceRun, LaunchState
from pages.registrations.file import MOST_BYTES, read_study
from runs.launching.plan import LaunchError
from workspace.transfer.reading.sources import Source, SourceFile

MOST_RUNS = 200_000
BLOCK = 1024 * 1024

_RUN, _LAUNCHES = TypeAdapter(EvidenceRun), TypeAdapter(list[LaunchState])
_AGENTS, _TEXTS, _NUMBERS = TypeAdapter(dict[str, dict[str, str]]), TypeAdapter(dict[str, str]), TypeAdapter(list[int])


class ArchiveRefused(Exception):
    """The archive cannot be read. The message is one sentence."""


@dataclass(frozen=True)
class Archive:
    """An archive.

    registered_sha256: of the study file according to the manifest
    members: its files by name; hashes: their SHA-256 according to the manifest
    """

    evidence: Evidence
    registered_sha256: str
    members: Mapping[str, SourceFile]
    hashes: Mapping[str, str]

    def sha256(self, name: str) -> str:
        digest = hashlib.sha256()
        with self.members[name].open() as file:
            while block := file.read(BLOCK):
                digest.update(block)
        return digest.hexdigest()

    def content(self, name: str) -> bytes:
        with self.members[name].open() as file:
            return file.read()

    def periods(self) -> Iterator[dict[str, Any]]:
        """The records of all periods, in the order of the files."""
        for name in sorted(name for name in self.members if name.startswith(PERIODS)):
            yield from _lines(self.members[name])


def read_archive(source: Source) -> Archive:
    """Read everything but the periods. Raises ArchiveRefused."""
    members = {str(file.path): file for file in source.files}
    for name in (STUDY, RUNS, MANIFEST):
        if name not in members:
            raise ArchiveRefused(f"The archive has no {name}.")
    try:
        manifest = _object(members[MANIFEST])
        if manifest.get("format") != FORMAT:
            raise ArchiveRefused(
                f"The archive has another format than {FORMAT}; use the version that its README names."
            )
        with members[STUDY].open() as file:
            study = read_study(file.read(MOST_BYTES + 1))
        evidence = Evidence(
            study=study.study,
            sha256=study.sha256,
            registered_at=str(manifest["registered_at"]),
            registered_by=str(manifest["registered_by"]),
            versions={
                "code": str(manifest["versions"]["code"]),
                "prompts": _TEXTS.validate_python(manifest["versions"]["prompts"]),
            },
            agents=_AGENTS.validate_python(manifest["agents"]),
            launches=_LAUNCHES.validate_python(manifest["launches"]),
            others=_NUMBERS.validate_python(manifest["others"]),
            runs=tuple(_runs(members[RUNS])),
        )
        hashes = _TEXTS.validate_python(manifest["files"])
    except LaunchError as error:
        raise ArchiveRefused(f"study.yaml cannot be read: {error}") from None
    except (KeyError, TypeError, ValidationError):
        raise ArchiveRefused("The manifest or a run has a wrong or missing field.") from None
    _check(evidence)
    return Archive(evidence, str(manifest["sha256"]), members, hashes)


def _check(evidence: Evidence) -> None:
    """Refuse runs that the study cannot have, so that later steps may look names up."""
    numbers = range(1, len(evidence.study.launches) + 1)
    if [launch.number for launch in evidence.launches] != list(numbers):
        raise ArchiveRefused("The manifest has other launches than study.yaml.")
    if any(run.launch not in numbers or run.agent not in evidence.agents for run in evidence.runs):
        raise ArchiveRefused("A run belongs to no launch or no agent of the study.")
    if len({run.run for run in evidence.runs}) < len(evidence.runs):
        raise ArchiveRefused("A run is there twice.")


def _runs(file: SourceFile) -> Iterator[EvidenceRun]:
    for number, record in enumerate(_lines(file)):
        if number == MOST_RUNS:
            raise ArchiveRefused(f"The archive has more than {MOST_RUNS:,} runs.")
        yield _RUN.validate_python(record)


def _object(file: SourceFile) -> dict[str, Any]:
    with file.open() as opened:
        return _parsed(opened.read(MOST_CHARACTERS + 1))


def _lines(file: SourceFile) -> Iterator[dict[str, Any]]:
    with file.open() as opened:
        while line := opened.readline(MOST_CHARACTERS + 1):
            yield _parsed(line)


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        value = read_json(text, lenient=True)
    except NotJSON as error:
        raise ArchiveRefused(f"A line of the archive {error}.") from None
    if not isinstance(value, dict):
        raise ArchiveRefused("A line of the archive is not an object.")
    return value
