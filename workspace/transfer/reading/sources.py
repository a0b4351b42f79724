"""A folder or zip archive as a list of files. Suspicious archives are refused before they are unpacked."""

import math
import os
import stat
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import FileIO
from pathlib import Path, PurePosixPath
from typing import IO

from games.logs.cells import LogRefused

MiB = 1024 * 1024
MAX_UPLOAD = 64 * MiB
"""Bytes of an archive sent by a browser."""

MAX_ARCHIVE = 1024 * MiB
MAX_TOTAL = 4096 * MiB
MAX_FILE = 512 * MiB
MAX_FILES = 20_000
MAX_RATIO = 200
"""The highest ratio of unpacked to packed size of a file."""

RATIO_COUNTS_FROM = MiB
MAX_PATH, MAX_DEPTH = 500, 12
MAX_DIRECTORY = MAX_FILES * 600
"""Bytes of a zip's table of contents, known before it is read."""

END, END_SIZE, ZIP64_LOCATOR = b"PK\x05\x06", 22, b"PK\x06\x07"
PACKED_PLAINLY = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 0x1


READING_SECONDS = 180
"""The most seconds for reading a table of an uploaded archive. The command line has no limit."""


def refuse_if(is_wrong: bool, sentence: str) -> None:
    """Refuse the import with a sentence for its sender."""
    if is_wrong:
        raise LogRefused(sentence)


@dataclass(frozen=True)
class SourceFile:
    """A file. path: relative, with slashes; size: unpacked bytes; seconds: time limit for reading"""

    path: PurePosixPath
    size: int
    open: Callable[[], IO[bytes]]
    seconds: float = math.inf


@dataclass(frozen=True)
class Source:
    """A folder or archive. around: the folders above it, which name the run if the source is the folder of a single log"""

    name: str
    files: tuple[SourceFile, ...]
    around: PurePosixPath


@contextmanager
def opened(path: Path) -> Iterator[Source]:
    """Open a folder or a zip on this machine. Raises LogRefused."""
    if path.is_dir():
        whole = path.resolve()
        yield Source(whole.name, tuple(_folder_files(path)), PurePosixPath(whole.parent.name, whole.name))
    else:
        try:
            with path.open("rb") as file:
                yield from _archive(file, path.name, MAX_ARCHIVE)
        except OSError as error:
            raise LogRefused(f"{path} cannot be opened: {error.strerror}.") from None


@contextmanager
def opened_archive(file: IO[bytes], name: str) -> Iterator[Source]:
    """Open a zip that a browser sent. Raises LogRefused."""
    yield from _archive(file, name, MAX_UPLOAD, READING_SECONDS)


def _archive(file: IO[bytes], name: str, most: int, seconds: float = math.inf) -> Iterator[Source]:
    size = file.seek(0, os.SEEK_END)
    refuse_if(size > most, f"{name} has {size / MiB:,.1f} MiB; at most {most // MiB:,} MiB are taken.")
    _check_directory(file, size, name)
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, UnicodeDecodeError):
        raise LogRefused(f"{name} is not a zip archive that can be read.") from None
    with archive:
        entries = archive.infolist()
        for entry in entries:
            # Some Windows programs separate folders by backslashes, against the specification of the format.
            entry.filename = entry.filename.replace("\\", "/")
        _check_entries(entries, size, name)
        files = (
            SourceFile(PurePosixPath(entry.filename), entry.file_size, partial(_open_entry, archive, entry), seconds)
            for entry in entries
            if not entry.is_dir()
        )
        # An archive of a folder's files is usually named after the folder.
        yield Source(name, tuple(files), PurePosixPath(PurePosixPath(name).stem))


def _check_directory(file: IO[bytes], size: int, name: str) -> None:
    """Refuse a zip with a long table of contents, before Python reads all of it."""
    file.seek(max(0, size - END_SIZE - 0xFFFF))
    tail = file.read()
    end = tail.rfind(END)
    refuse_if(end < 0 or len(tail) - end < END_SIZE, f"{name} is not a zip archive.")
    entries, directory = struct.unpack("<HL", tail[end + 10 : end + 16])
    refuse_if(
        tail[max(0, end - 20) : end].startswith(ZIP64_LOCATOR) or entries > MAX_FILES or directory > MAX_DIRECTORY,
        f"{name} lists more than {MAX_FILES:,} files or is larger than a plain zip can be.",
    )


def _check_entries(entries: list[zipfile.ZipInfo], size: int, name: str) -> None:
    refuse_if(len(entries) > MAX_FILES, f"{name} lists {len(entries):,} files; at most {MAX_FILES:,} are taken.")
    seen = set()
    for entry in entries:
        _check_path(entry.filename, name)
        holds = f"{name} holds {entry.filename[:100]!r}"
        refuse_if(
            stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR),
            f"{holds}, which is a link or a device and not a file.",
        )
        refuse_if(
            bool(entry.flag_bits & ENCRYPTED) or entry.compress_type not in PACKED_PLAINLY,
            f"{holds}, which is encrypted or packed in an unusual way.",
        )
        refuse_if(entry.filename in seen, f"{holds} twice.")
        seen.add(entry.filename)
        refuse_if(
            entry.file_size > max(RATIO_COUNTS_FROM, MAX_RATIO * entry.compress_size),
            f"{holds}, which unpacks to more than {MAX_RATIO} times its size.",
        )
        _check_size(entry.file_size, f"{entry.filename[:100]} has")
    refuse_if(sum(entry.compress_size for entry in entries) > size, f"{name} has files that lie on top of each other.")
    _check_size(sum(entry.file_size for entry in entries), f"{name} unpacks to", MAX_TOTAL)


def _check_path(path: str, name: str) -> None:
    parts = PurePosixPath(path).parts
    refuse_if(
        not path or path.startswith("/") or path[1:2] == ":" or "\\" in path or "\0" in path or ".." in parts,
        f"{name} holds a file with the path {path[:100]!r}, which leads out of the archive.",
    )
    refuse_if(
        len(path) > MAX_PATH or len(parts) > MAX_DEPTH,
        f"{name} holds a path that is too long or too deep: {path[:60]!r}.",
    )


def _check_size(size: int, subject: str, most: int = MAX_FILE) -> None:
    refuse_if(size > most, f"{subject} {size / MiB:,.0f} MiB; at most {most // MiB:,} MiB are taken.")


def _open_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
    try:
        return archive.open(entry)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError):
        raise LogRefused(f"{entry.filename} cannot be unpacked.") from None


def _folder_files(root: Path) -> Iterator[SourceFile]:
    total = number = 0
    for folder, folders, files in os.walk(root, followlinks=False):
        folders.sort()
        for path in (Path(folder, name) for name in (*folders, *sorted(files))):
            inside = path.relative_to(root).as_posix()
            refuse_if(path.is_symlink(), f"{inside} is a link; only files are taken.")
            if path.is_file():
                size = path.stat().st_size
                number, total = number + 1, total + size
                refuse_if(number > MAX_FILES, f"{root.name} holds more than {MAX_FILES:,} files.")
                _check_path(inside, root.name)
                _check_size(size, f"{inside} has")
                yield SourceFile(PurePosixPath(inside), size, partial(FileIO, path))
    _check_size(total, f"{root.name} unpacks to", MAX_TOTAL)
