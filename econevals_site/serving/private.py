"""Filters that keep secrets out of logs and of the error pages of DEBUG."""

import logging
import re
from collections.abc import ItemsView
from types import FrameType
from typing import Any

from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter


class PrivatePaths(logging.Filter):
    """Logs the URL pattern of a failed request instead of its address, which may contain the secret of an invitation."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest) and isinstance(record.args, tuple):
            match = request.resolver_match
            pattern = f"/{match.route}" if match else f"/{request.path.split('/')[1]}/..."
            record.args = tuple(pattern if argument == request.path else argument for argument in record.args)
        return True


class WithoutTraceback(logging.Filter):
    """Removes the traceback. It is for errors that any stranger can cause with a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = None
        return True


class PrivateErrorPages(SafeExceptionReporterFilter):
    """Hides all values of variables, and the values of fields and settings whose name suggests a secret.

    Django itself hides variables and fields only if DEBUG is off, but shows these pages only if it
    is on.
    """

    hidden_settings = re.compile(f"{SafeExceptionReporterFilter.hidden_settings.pattern}|_URL|HEADERS", re.IGNORECASE)

    def get_post_parameters(self, request: HttpRequest | None) -> Any:
        posted = request.POST.copy() if request else {}
        for name in posted:
            if self.hidden_settings.search(name):
                posted[name] = self.cleansed_substitute
        return posted

    def get_traceback_frame_variables(self, request: HttpRequest | None, tb_frame: FrameType) -> ItemsView[str, Any]:
        return dict.fromkeys(tb_frame.f_locals, self.cleansed_substitute).items()
