"""Private folders, which other users of this machine can neither read nor replace."""

import hashlib
import os
import pwd
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

OPEN = stat.S_IRWXG | stat.S_IRWXO
MOST_BYTES_OF_A_SOCKET = 100


def private_folder(path: Path) -> Path:
    """Create the folder if it is missing, remove other users' permissions, and return its path.

    Raises ImproperlyConfigured with one sentence if another user owns the folder or an entry, or could replace it.
    """
    try:
        for part in (path, *path.parents):
            if part.is_symlink() and not _trusted(owner := part.lstat().st_uid):
                raise ImproperlyConfigured(f"{part} is a symbolic link of the user {_name(owner)}; remove it.")
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if (owner := path.stat().st_uid) != os.geteuid():
            raise ImproperlyConfigured(
                f"The folder {path} belongs to the user {_name(owner)}: run this as {_name(owner)}, or name another folder."
            )
        for parent in {*path.parents, *path.resolve().parents}:
            mode = parent.stat().st_mode
            if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
                raise ImproperlyConfigured(
                    f"Every user of this machine can write to {parent}, and so replace {path}: run chmod o-w on it, or "
                    "name another folder."
                )
        if path.stat().st_mode & OPEN:
            _close_contents(path)
            path.chmod(0o700)
        for name in os.listdir(path):
            _refuse_foreign_entry(os.path.join(path, name))
    except OSError as error:
        raise ImproperlyConfigured(f"The folder {path} cannot be made or used: {error.strerror or error}.") from None
    return path


def socket_path(folder: Path, name: str) -> Path:
    """Return a path for a Unix socket in the folder, or in a private temporary folder if that path is too long."""
    path = folder / name
    if len(os.fsencode(path)) < MOST_BYTES_OF_A_SOCKET:
        return path
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return private_folder(Path(tempfile.gettempdir()) / f"econevals-{os.geteuid()}-{digest}") / name


def _refuse_foreign_entry(entry: str) -> None:
    """Raise ImproperlyConfigured if another user owns the entry.

    While the folder was open to others, that user may have put a database or a known secret there.
    """
    with suppress(FileNotFoundError):
        if not _trusted(owner := os.lstat(entry).st_uid):
            raise ImproperlyConfigured(f"{entry} belongs to the user {_name(owner)}, not to this site: remove it.")


def _close_contents(path: Path) -> None:
    """Remove other users' permissions from all entries, from the top down.

    In this order nobody can add a file to a folder that was already checked.
    """
    for folder, folders, files in os.walk(path):
        for name in (*folders, *files):
            entry = os.path.join(folder, name)
            _refuse_foreign_entry(entry)
            # Another process of the site may remove its files at the same time.
            with suppress(FileNotFoundError):
                status = os.lstat(entry)
                if status.st_uid == os.geteuid() and not stat.S_ISLNK(status.st_mode):
                    os.chmod(entry, stat.S_IMODE(status.st_mode) & ~OPEN)


def _trusted(uid: int) -> bool:
    """Whether the user id is that of this process or of root. Root can read and replace everything anyway."""
    return uid in {0, os.geteuid()}


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
