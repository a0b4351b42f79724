"""What the error pages of DEBUG leave out: they show every variable of a traceback otherwise, keys among them."""

from __future__ import annotations

import re
from types import FrameType
from typing import Any

from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter


class PrivateErrorPages(SafeExceptionReporterFilter):
    """No values of variables, and nothing typed into a field or held by a setting whose name sounds like a secret.

    Django hides these only where DEBUG is off and a view says so, which then shows no such page at all.
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

    def get_traceback_frame_variables(self, request: HttpRequest | None, tb_frame: FrameType) -> list[tuple[str, str]]:
        return [(name, self.cleansed_substitute) for name in tb_frame.f_locals]
