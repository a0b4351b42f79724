"""Which logs a source holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from agents.notes import storable
from runs.importing.formats import FORMATS
from runs.importing.formats.patience import (
    ENDING,
    RESULTS,
    HorizonFolder,
    grouped,
    read_patience,
    setting_of,
)
from runs.importing.logs import LOGS, PARAMETERS, Log, LogFolder, read_log
from runs.importing.refusals import Refused
from runs.importing.sources import Source, SourceFile
from runs.importing.tables import heading_of

MAX_LOGS = 1000


@dataclass(frozen=True)
class Candidate:
    """A folder that looks like a log, to be read when its turn comes.

    read: with_replies=False leaves out what the model said, which takes longest to read; raises Refused
    """

    folder: str
    read: Callable[..., Log]


def candidates(source: Source) -> list[Candidate]:
    """Every log by its path. Raises Refused where there is none."""
    folders: dict[PurePosixPath, dict[str, SourceFile]] = {}
    for file in source.files:
        folders.setdefault(file.path.parent, {})[file.path.name] = file
    found = [*_logged(folders), *_patience(folders)]
    if not found:
        raise Refused(f"{source.name} holds no folder with {PARAMETERS} and {LOGS}, and no patience answers.")
    if len(found) > MAX_LOGS:
        raise Refused(f"{source.name} holds {len(found):,} logs; at most {MAX_LOGS:,} are imported at once.")
    return sorted(found, key=lambda candidate: candidate.folder)


def _logged(folders: dict[PurePosixPath, dict[str, SourceFile]]) -> Iterator[Candidate]:
    for path, files in folders.items():
        if PARAMETERS in files and LOGS in files:
            folder = LogFolder(path, files[PARAMETERS], files[LOGS])
            yield Candidate(str(path), lambda folder=folder, **how: _read(folder, **how))  # type: ignore[misc]
        elif PARAMETERS in files or LOGS in files:
            missing = LOGS if PARAMETERS in files else PARAMETERS
            yield Candidate(str(path), lambda path=path, missing=missing, **how: _incomplete(path, missing))  # type: ignore[misc]


def _incomplete(path: PurePosixPath, missing: str) -> Log:
    raise Refused(f"{path} has no {missing}.")


def _read(folder: LogFolder, with_replies: bool = True) -> Log:
    heading = set(heading_of(folder.parameters))
    format = next((one for one in FORMATS if heading.issuperset(one.marks)), None)
    if format is None:
        raise Refused(f"{folder.parameters.path}, line 1: the columns are those of no environment known here.")
    return read_log(folder, format, with_replies)


def _patience(folders: dict[PurePosixPath, dict[str, SourceFile]]) -> Iterator[Candidate]:
    asked = []
    for path, files in sorted(folders.items()):
        if setting := setting_of(path):
            for name, file in sorted(files.items()):
                if name.endswith(ENDING) and name != ENDING:
                    model = storable(name.removesuffix(ENDING))[:200]
                    asked.append(HorizonFolder(path, setting, model, file, files.get(RESULTS)))
    for group in grouped(asked):
        label = ", ".join(str(folder.path) for folder in group)
        yield Candidate(label, lambda group=group, **how: read_patience(group))  # type: ignore[misc]
