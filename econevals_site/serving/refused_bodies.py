"""The error page for a request whose body was too large. `econevals_site.serving.bodies` has removed the body."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from econevals_site.serving.bodies import MIB, MOST_BYTES, REFUSED
from transfer.forms.imports import TOO_LARGE

ANYTHING = f"A request has at most {MOST_BYTES // MIB} MiB. Nothing was changed."


class RefusedBodies:
    """Answers before the view, which would miss the body."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not getattr(request, "scope", {}).get(REFUSED):
            return self.get_response(request)
        is_import = request.path == reverse("runs:import")
        shown = {
            "code": 413,
            "title": "The archive is too large" if is_import else "That is too large",
            "sentence": TOO_LARGE if is_import else ANYTHING,
            "back": reverse("runs:import") if is_import else "",
        }
        return render(request, "error.html", shown, status=413)
