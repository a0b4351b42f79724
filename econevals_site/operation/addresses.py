"""The addresses for who runs the site. They answer whatever Host a request names, over HTTP too, and need no log-in."""

from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.utils.crypto import constant_time_compare

from econevals_site.operation.health import health, ready
from econevals_site.operation.metrics import CONTENT_TYPE, metrics_text

METHODS = ("GET", "HEAD")


def metrics(request: HttpRequest) -> HttpResponse:
    """Metrics of the whole site, for the token of its operator."""
    if not settings.METRICS_TOKEN:
        return _sentence("Metrics are off. ECONEVALS_METRICS_TOKEN turns them on.", 404)
    if not constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}"):
        refusal = _sentence("Send the value of ECONEVALS_METRICS_TOKEN: Authorization: Bearer ...", 401)
        refusal.headers["WWW-Authenticate"] = "Bearer"
        return refusal
    try:
        return HttpResponse(metrics_text(), content_type=CONTENT_TYPE)
    except (DatabaseError, InterfaceError):
        return _sentence("The database is away.", 503)


def _sentence(text: str, status: int) -> HttpResponse:
    return HttpResponse(f"{text}\n", status=status, content_type="text/plain")


ADDRESSES: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    "/health": health,
    "/ready": ready,
    "/metrics": metrics,
}


def operation_addresses(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that answers them before any other looks at the host, the session or the scheme of the request."""

    def respond(request: HttpRequest) -> HttpResponse:
        view = ADDRESSES.get(request.path)
        if view is None:
            return get_response(request)
        response = view(request) if request.method in METHODS else HttpResponseNotAllowed(METHODS)
        response.headers["Cache-Control"] = "no-store"
        return response

    return respond
