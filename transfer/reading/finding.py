"""Finds the logs in a source."""

from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from pathlib import PurePosixPath

from agents.notes import storable
from transfer.reading.folders import read_log
from transfer.reading.formats.patience import ENDING, RESULTS, HorizonFolder, grouped, read_patience, setting_of
from transfer.reading.logs import LOGS, PARAMETERS, Log
from transfer.reading.refusals import Refused
from transfer.reading.sources import Source, SourceFile

MAX_LOGS = 1000
ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".zst", ".7z", ".rar")
NAMED = 10
"""Nested archives that are listed by name."""


Candidate = tuple[str, Callable[..., Log]]
"""The label of a folder that looks like a log, and what reads it. With with_replies=False it skips the model's replies, which
take longest. It raises Refused."""


def candidates(source: Source) -> list[Candidate]:
    """All logs by path. Raises Refused if there is none."""
    folders: dict[PurePosixPath, dict[str, SourceFile]] = {}
    for file in source.files:
        folders.setdefault(file.path.parent, {})[file.path.name] = file
    found: list[Candidate] = []
    for path, files in folders.items():
        label = _label(path, source.around)
        if PARAMETERS in files and LOGS in files:
            found.append((label, partial(read_log, label, source.around / path, files[PARAMETERS], files[LOGS])))
        elif PARAMETERS in files or LOGS in files:
            missing = LOGS if PARAMETERS in files else PARAMETERS
            found.append((label, partial(_refuse, f"{label} has no {missing}.")))
    found += _patience(folders, source.around)
    unopened = ""
    if names := sorted(storable(str(file.path)) for file in source.files if file.path.suffix.lower() in ARCHIVES):
        more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
        listed = ", ".join(names[:NAMED]) + more
        unopened = f"Archives inside are not opened: {listed}. Unpack them and import what they hold."
    if not found:
        raise Refused(
            f"{source.name} holds no folder with {PARAMETERS} and {LOGS}, and no patience answers. {unopened}".strip()
        )
    if len(found) > MAX_LOGS:
        raise Refused(f"{source.name} holds {len(found):,} logs; at most {MAX_LOGS:,} are imported at once.")
    found.sort(key=itemgetter(0))
    return [*found, (source.name, partial(_refuse, unopened))] if unopened else found


def _refuse(sentence: str, with_replies: bool = True) -> Log:
    raise Refused(sentence)


def _label(path: PurePosixPath, around: PurePosixPath) -> str:
    """The name of a folder for people: its path in the source, or the source's name."""
    return str(path) if path.name else around.name


def _patience(folders: dict[PurePosixPath, dict[str, SourceFile]], around: PurePosixPath) -> Iterator[Candidate]:
    asked = []
    for path, files in sorted(folders.items()):
        for name, file in sorted(files.items()):
            if name.endswith(ENDING) and name != ENDING:
                results = files.get(RESULTS)
                if setting := setting_of(around / path, file, results):
                    model = storable(name.removesuffix(ENDING))[:200]
                    asked.append(HorizonFolder(_label(path, around), around / path, setting, model, file, results))
    for group in grouped(asked):
        yield ", ".join(folder.label for folder in group), partial(read_patience, group)
