"""Finds the logs in a source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from agents.notes import storable
from transfer.reading.formats import FORMATS
from transfer.reading.formats.patience import (
    ENDING,
    RESULTS,
    HorizonFolder,
    asked_setting,
    grouped,
    read_patience,
    setting_of,
)
from transfer.reading.logs import LOGS, PARAMETERS, Log, LogFolder, read_log
from transfer.reading.refusals import Refused
from transfer.reading.sources import Source, SourceFile
from transfer.reading.tables import heading_of

MAX_LOGS = 1000
ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".zst", ".7z", ".rar")
NAMED = 10
"""Nested archives that are listed by name."""


@dataclass(frozen=True)
class Candidate:
    """A folder that looks like a log.

    read: reads it; with_replies=False skips the model's replies, which take longest. Raises Refused.
    """

    folder: str
    read: Callable[..., Log]


def candidates(source: Source) -> list[Candidate]:
    """All logs by path. Raises Refused if there is none."""
    folders: dict[PurePosixPath, dict[str, SourceFile]] = {}
    for file in source.files:
        folders.setdefault(file.path.parent, {})[file.path.name] = file
    found = [*_logged(folders, source.around), *_patience(folders, source.around)]
    unopened = _unopened(source)
    if not found:
        raise Refused(
            f"{source.name} holds no folder with {PARAMETERS} and {LOGS}, and no patience answers. {unopened}".strip()
        )
    if len(found) > MAX_LOGS:
        raise Refused(f"{source.name} holds {len(found):,} logs; at most {MAX_LOGS:,} are imported at once.")
    found.sort(key=lambda candidate: candidate.folder)
    return [*found, Candidate(source.name, _refusing(unopened))] if unopened else found


def _unopened(source: Source) -> str:
    """A sentence that names nested archives, or an empty text."""
    names = sorted(storable(str(file.path)) for file in source.files if file.path.suffix.lower() in ARCHIVES)
    if not names:
        return ""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"Archives inside are not opened: {', '.join(names[:NAMED])}{more}. Unpack them and import what they hold."


def _refusing(sentence: str) -> Callable[..., Log]:
    def read(**how: bool) -> Log:
        raise Refused(sentence)

    return read


def _label(path: PurePosixPath, around: PurePosixPath) -> str:
    """The name of a folder for people: its path in the source, or the source's name."""
    return str(path) if path.name else around.name


def _logged(folders: dict[PurePosixPath, dict[str, SourceFile]], around: PurePosixPath) -> Iterator[Candidate]:
    for path, files in folders.items():
        label = _label(path, around)
        if PARAMETERS in files and LOGS in files:
            folder = LogFolder(label, around / path, files[PARAMETERS], files[LOGS])
            yield Candidate(label, lambda folder=folder, **how: _read(folder, **how))
        elif PARAMETERS in files or LOGS in files:
            yield Candidate(label, _refusing(f"{label} has no {LOGS if PARAMETERS in files else PARAMETERS}."))


def _read(folder: LogFolder, with_replies: bool = True) -> Log:
    heading = set(heading_of(folder.parameters))
    format = next((one for one in FORMATS if heading.issuperset(one.marks)), None)
    if format is None:
        raise Refused(f"{folder.parameters.path}, line 1: the columns are those of no environment known here.")
    return read_log(folder, format, with_replies)


def _patience(folders: dict[PurePosixPath, dict[str, SourceFile]], around: PurePosixPath) -> Iterator[Candidate]:
    asked = []
    for path, files in sorted(folders.items()):
        for name, file in sorted(files.items()):
            if name.endswith(ENDING) and name != ENDING:
                setting = setting_of(around / path) or (asked_setting(file) if RESULTS in files else "")
                model = storable(name.removesuffix(ENDING))[:200]
                if setting:
                    asked.append(
                        HorizonFolder(_label(path, around), around / path, setting, model, file, files.get(RESULTS))
                    )
    for group in grouped(asked):
        label = ", ".join(folder.label for folder in group)
        yield Candidate(label, lambda group=group, **how: read_patience(group))
