from __future__ import annotations

import logging

from django.http import HttpRequest


class PrivatePaths(logging.Filter):
    """Logs the URL pattern of a failed request instead of its address, which may contain the secret of an invitation."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest) and isinstance(record.args, tuple):
            match = request.resolver_match
            pattern = f"/{match.route}" if match else f"/{request.path.split('/')[1]}/..."
            record.args = tuple(pattern if argument == request.path else argument for argument in record.args)
        return True
