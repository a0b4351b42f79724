"""Error pages of DEBUG without the values of variables, which may contain keys."""

from __future__ import annotations

import re
from collections.abc import ItemsView
from types import FrameType
from typing import Any

from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter


class PrivateErrorPages(SafeExceptionReporterFilter):
    """Hides all values of variables, and the values of fields and settings whose name suggests a secret.

    Django itself hides them only with DEBUG off, and then it shows no such page.
    """

    hidden_settings = re.compile(f"{SafeExceptionReporterFilter.hidden_settings.pattern}|_URL", re.IGNORECASE)

    def get_post_parameters(self, request: HttpRequest | None) -> Any:
        if request is None:
            return {}
        posted = request.POST.copy()
        for name in posted:
            if self.hidden_settings.search(name):
                posted[name] = self.cleansed_substitute
        return posted

    def get_traceback_frame_variables(self, request: HttpRequest | None, tb_frame: FrameType) -> ItemsView[str, Any]:
        return dict.fromkeys(tb_frame.f_locals, self.cleansed_substitute).items()
