"""The error page for a request whose body was too large. `econevals_site.serving.bodies` has removed the body."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from econevals_site.serving.bodies import MIB, MOST_BYTES, REFUSED
from workspace.transfer.forms import TOO_LARGE

ANYTHING = f"A request has at most {MOST_BYTES // MIB} MiB. Nothing was changed."


def refused_bodies(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that responds with the error page instead of calling the view, which would miss the body."""

    def respond(request: HttpRequest) -> HttpResponse:
        if not getattr(request, "scope", {}).get(REFUSED):
            return get_response(request)
        context = {"code": 413, "title": "That is too large", "sentence": ANYTHING, "back": ""}
        if request.path == reverse("transfer:import"):
            context |= {"title": "The archive is too large", "sentence": TOO_LARGE, "back": request.path}
        return render(request, "error.html", context, status=413)

    return respond
