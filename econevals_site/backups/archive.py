"""The file of a backup: a zip with the database, as copied by its engine, and a manifest."""

import json
import os
import shutil
import zipfile
import zlib
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from environments.json_text import MOST_CHARACTERS, read_json

MANIFEST, DATABASE = "manifest.json", "database"
FORMAT = 1

ENGINES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


class BackupRefused(Exception):
    """A backup cannot be made or restored. The message is shown to the user."""


@dataclass(frozen=True)
class Manifest:
    """Description of a backup.

    made_at: ISO 8601 in UTC
    migrations: applied migrations, each as app.name
    rows: the number of rows by kind
    """

    engine: str
    made_at: str
    migrations: list[str]
    rows: dict[str, int]
    format: int = FORMAT

    @property
    def contents(self) -> str:
        """The numbers of rows in words, such as '1 organization, 2 experiments and 40 runs'."""
        counts = [f"{number:,} {kind if number != 1 else kind.removesuffix('s')}" for kind, number in self.rows.items()]
        return ", ".join(counts[:-1]) + f" and {counts[-1]}"


def described(database: Any, counts: dict[str, str], migrations: str) -> tuple[dict[str, int], list[str]]:
    """Return numbers of rows by name, and the migrations, as queries read them from a connection or cursor."""
    rows = {name: database.execute(query).fetchone()[0] for name, query in counts.items()}
    return rows, [name for (name,) in database.execute(migrations).fetchall()]


def write(path: Path, manifest: Manifest, database: Path) -> None:
    """Write the file, readable by its owner only. It is renamed to `path` when it is complete and on the disk."""
    unfinished = path.with_name(f"{path.name}.part")
    try:
        with os.fdopen(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b") as file:
            # Transcripts are compressed already, so a higher level would save little.
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                archive.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1))
                archive.write(database, DATABASE)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def manifest_of(path: Path) -> Manifest:
    """Read the manifest. Raises BackupRefused if the file is not a backup or has a later format."""
    try:
        with zipfile.ZipFile(path) as archive:
            archive.getinfo(DATABASE)
            if archive.getinfo(MANIFEST).file_size > MOST_CHARACTERS:
                raise ValueError("longer than any manifest")
            values = read_json(archive.read(MANIFEST))
        manifest = Manifest(**{field.name: values[field.name] for field in fields(Manifest)})
    except OSError as error:
        raise BackupRefused(f"{path} cannot be read: {error.strerror or error}.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, TypeError, ValueError):
        raise BackupRefused(f"{path} is not a backup of this program, or it is damaged.") from None
    if manifest.format != FORMAT or manifest.engine not in ENGINES:
        raise BackupRefused(f"{path} was made by a later version, in a format that this one cannot read.")
    return manifest


def extract(path: Path, target: Path) -> None:
    """Copy the database out of the file. Raises BackupRefused if its checksum is wrong."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(DATABASE) as source, target.open("wb") as file:
            shutil.copyfileobj(source, file, 1 << 20)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError):
        raise BackupRefused(f"{path} is damaged.") from None
