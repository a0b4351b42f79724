"""Log lines as JSON, for programs that collect logs."""

import json
import logging
from datetime import UTC, datetime

from infrastructure.processes.log_context import current_log_ids


class JSONLines(logging.Formatter):
    """One object a line: time, level, logger, message, the ids of the run and the call at work, and the traceback.

    It writes what the plain format writes. Attributes that a library adds to a record are left out, since they may hold
    headers with a key.
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **current_log_ids(),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)
