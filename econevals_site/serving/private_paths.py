from __future__ import annotations

import logging

from django.http import HttpRequest


class PrivatePaths(logging.Filter):
    """Failed requests are logged with the pattern of their address: the address itself may let people in."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest) and isinstance(record.args, tuple):
            match = request.resolver_match
            pattern = f"/{match.route}" if match else f"/{request.path.split('/')[1]}/..."
            record.args = tuple(pattern if argument == request.path else argument for argument in record.args)
        return True
