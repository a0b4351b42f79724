"""Log lines as JSON for programs that collect logs. They hold the ids of the rows on which a thread works."""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType

_ids: ContextVar[Mapping[str, int]] = ContextVar("log_ids", default=MappingProxyType({}))


@contextmanager
def log_ids(**ids: int) -> Iterator[None]:
    """Add ids, such as run=12, to the log lines of this thread until the block ends. Earlier ids stay."""
    token = _ids.set({**_ids.get(), **ids})
    try:
        yield
    finally:
        _ids.reset(token)


class JSONLines(logging.Formatter):
    """Formats a record as one JSON object: time, level, logger, message, the ids of `log_ids`, and the traceback.

    It writes what the plain format writes. Attributes that a library adds to a record are left out, because they may hold
    headers with a key.
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **_ids.get(),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)
