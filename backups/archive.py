"""A backup's file: a zip of the database, as its engine copies it, and of a manifest that says what it is."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
import zlib
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from environments.json_text import MOST_CHARACTERS, read_json

MANIFEST, DATABASE = "manifest.json", "database"
FORMAT = 1

ENGINES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


class BackupRefused(Exception):
    """Why a backup cannot be made or restored, for the person who asked."""


@dataclass(frozen=True)
class Manifest:
    """made_at: ISO 8601 in UTC; migrations: as app.name; rows: how many of each kind the backup holds."""

    engine: str
    made_at: str
    migrations: list[str]
    rows: dict[str, int]
    format: int = FORMAT


def write(path: Path, manifest: Manifest, database: Path) -> None:
    """Make the file, for its owner's eyes only; it appears under its name once it is whole and on the disk."""
    unfinished = path.with_name(f"{path.name}.part")
    try:
        descriptor = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w+b") as file:
            # A transcript is compressed already, so harder work would win little.
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                archive.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1))
                archive.write(database, DATABASE)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def manifest_of(path: Path) -> Manifest:
    """Raises BackupRefused where the file is no backup, or one of a later format."""
    try:
        with zipfile.ZipFile(path) as archive:
            archive.getinfo(DATABASE)
            if archive.getinfo(MANIFEST).file_size > MOST_CHARACTERS:
                raise ValueError("longer than any manifest")
            found = read_json(archive.read(MANIFEST))
        manifest = Manifest(**{field.name: found[field.name] for field in fields(Manifest)})
    except OSError as error:
        raise BackupRefused(f"{path} cannot be read: {error.strerror or error}.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, TypeError, ValueError):
        raise BackupRefused(f"{path} is no backup of this program, or it is damaged.") from None
    if manifest.format != FORMAT or manifest.engine not in ENGINES:
        raise BackupRefused(f"{path} was made by a later version, in a format that this one cannot read.")
    return manifest


def extract(path: Path, target: Path) -> None:
    """The database's copy out of the file. Raises BackupRefused where its checksum does not fit."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(DATABASE) as source, target.open("wb") as file:
            shutil.copyfileobj(source, file, 1 << 20)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError):
        raise BackupRefused(f"{path} is damaged.") from None
