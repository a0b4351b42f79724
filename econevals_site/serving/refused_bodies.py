"""The error page for a request whose body was too large. `econevals_site.serving.bodies` has removed the body."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin

from econevals_site.serving.bodies import MIB, MOST_BYTES, REFUSED
from workspace.transfer.forms import TOO_LARGE

ANYTHING = f"A request has at most {MOST_BYTES // MIB} MiB. Nothing was changed."


class RefusedBodies(MiddlewareMixin):
    """Responds with the error page instead of calling the view, which would miss the body."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if not getattr(request, "scope", {}).get(REFUSED):
            return None
        context = {"code": 413, "title": "That is too large", "sentence": ANYTHING, "back": ""}
        if request.path == reverse("transfer:import"):
            context |= {"title": "The archive is too large", "sentence": TOO_LARGE, "back": request.path}
        return render(request, "error.html", context, status=413)
