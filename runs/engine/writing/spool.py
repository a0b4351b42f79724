"""Files for paid replies that cannot be stored while the database is away. Each reply has a file, synced to disk.

The next worker on this machine that plays the run reads them before it calls the model again.
"""

import json
import logging
import os
from pathlib import Path
from typing import Any

from django.conf import settings

from runs.engine.writing.batch import SETTLED
from runs.models import Exchange

logger = logging.getLogger(__name__)


def keep(exchange: Exchange) -> None:
    """Write the reply to a file. If the disk is full too, the reply stays in memory only."""
    text = json.dumps({name: getattr(exchange, name) for name in SETTLED})
    path = _path(exchange.run_id, exchange.pk)
    unfinished = path.with_suffix(".tmp")
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with unfinished.open("w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError:
        unfinished.unlink(missing_ok=True)
        logger.warning("The reply of exchange %d could not be kept on the disk either.", exchange.pk, exc_info=True)


def kept(run_id: int) -> dict[int, dict[str, Any]]:
    """The replies of a run that are kept in files, by exchange id."""
    replies = {}
    for path in _folder().glob(f"{run_id}-*.json"):
        try:
            replies[int(path.stem.partition("-")[2])] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            logger.warning("%s cannot be read.", path, exc_info=True)
    return replies


def exchanges() -> list[int]:
    """The ids of all exchanges whose reply is kept in a file."""
    numbers = (path.stem.partition("-")[2] for path in _folder().glob("*-*.json"))
    return [int(number) for number in numbers if number.isdecimal()]


def drop(run_id: int, exchange_id: int) -> None:
    _path(run_id, exchange_id).unlink(missing_ok=True)


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "spool"


def _path(run_id: int, exchange_id: int) -> Path:
    return _folder() / f"{run_id}-{exchange_id}.json"
