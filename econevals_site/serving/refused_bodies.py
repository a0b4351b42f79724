"""Refuses requests that no view could answer."""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from econevals_site.serving.bodies import MIB, MOST_BYTES, REFUSED
from transfer.forms.imports import TOO_LARGE

ANYTHING = f"A request has at most {MOST_BYTES // MIB} MiB. Nothing was changed."


def refused_requests(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: the error page for a body that was too large, which `econevals_site.serving.bodies` has removed.

    Also 404 for an address with a NUL character, which PostgreSQL accepts in no text.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        if "\x00" in request.path_info:
            raise Http404("No address has a NUL character.")
        if not getattr(request, "scope", {}).get(REFUSED):
            return get_response(request)
        shown = {"code": 413, "title": "That is too large", "sentence": ANYTHING, "back": ""}
        if request.path == reverse("runs:import"):
            shown |= {"title": "The archive is too large", "sentence": TOO_LARGE, "back": request.path}
        return render(request, "error.html", shown, status=413)

    return respond
