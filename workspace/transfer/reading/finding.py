"""Finds the logs in a source."""

from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from pathlib import PurePosixPath

from agents.tools import storable
from games.logs.cells import LogRefused
from games.logs.format import AnswerFormat
from games.registry import ANSWER_FORMATS
from workspace.transfer.reading.answers import AnswerFolder, grouped, read_answers, setting_of
from workspace.transfer.reading.folders import read_log
from workspace.transfer.reading.logs import LOGS, PARAMETERS, Log
from workspace.transfer.reading.sources import Source, SourceFile, refuse_if

MAX_LOGS = 1000
ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".zst", ".7z", ".rar")
LISTED_NAMES = 10
"""The most nested archives that are listed by name."""


Candidate = tuple[str, Callable[..., Log]]
"""(label, reader) of a folder that looks like a log. With with_replies=False, the reader skips the model's replies, which
take longest. It raises LogRefused."""


def candidates(source: Source) -> list[Candidate]:
    """All logs in the source, sorted by path. Raises LogRefused if there are none."""
    folders: dict[PurePosixPath, dict[str, SourceFile]] = {}
    for file in source.files:
        folders.setdefault(file.path.parent, {})[file.path.name] = file
    log_candidates: list[Candidate] = []
    for path, files in folders.items():
        label = _label(path, source.around)
        if PARAMETERS in files and LOGS in files:
            log_candidates.append(
                (label, partial(read_log, label, source.around / path, files[PARAMETERS], files[LOGS]))
            )
        elif PARAMETERS in files or LOGS in files:
            missing = LOGS if PARAMETERS in files else PARAMETERS
            log_candidates.append((label, partial(_refuse, f"{label} has no {missing}.")))
    for answer_format in ANSWER_FORMATS:
        log_candidates += _answers(answer_format, folders, source.around)
    names = sorted(storable(str(file.path)) for file in source.files if file.path.suffix.lower() in ARCHIVES)
    more = f" and {len(names) - LISTED_NAMES:,} more" if len(names) > LISTED_NAMES else ""
    listed = ", ".join(names[:LISTED_NAMES]) + more
    unopened = f"Archives inside are not opened: {listed}. Unpack them and import what they hold." if names else ""
    refuse_if(
        not log_candidates,
        f"{source.name} holds no folder with {PARAMETERS} and {LOGS}, and no patience answers. {unopened}".strip(),
    )
    refuse_if(
        len(log_candidates) > MAX_LOGS,
        f"{source.name} holds {len(log_candidates):,} logs; at most {MAX_LOGS:,} are imported at once.",
    )
    log_candidates.sort(key=itemgetter(0))
    return [*log_candidates, (source.name, partial(_refuse, unopened))] if unopened else log_candidates


def _refuse(sentence: str, with_replies: bool = True) -> Log:
    raise LogRefused(sentence)


def _label(path: PurePosixPath, around: PurePosixPath) -> str:
    """The readable name of a folder: its path in the source, or the source's name."""
    return str(path) if path.name else around.name


def _answers(
    answer_format: AnswerFormat, folders: dict[PurePosixPath, dict[str, SourceFile]], around: PurePosixPath
) -> Iterator[Candidate]:
    answer_folders = []
    for path, files in sorted(folders.items()):
        for name, file in sorted(files.items()):
            if name.endswith(answer_format.ending) and name != answer_format.ending:
                results = files.get(answer_format.results)
                if setting := setting_of(answer_format, around / path, file, results):
                    model = storable(name.removesuffix(answer_format.ending))[:200]
                    answer_folders.append(
                        AnswerFolder(_label(path, around), around / path, setting, model, file, results)
                    )
    for group in grouped(answer_folders):
        yield ", ".join(folder.label for folder in group), partial(read_answers, answer_format, group)
