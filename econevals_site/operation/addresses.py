"""Addresses for the operator of the site: health, readiness and metrics.

They need no log-in, and answer for any Host header, over HTTP too.
"""

from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.utils.crypto import constant_time_compare
from django.utils.deprecation import MiddlewareMixin

from econevals_site.operation.metrics import CONTENT_TYPE, metrics_text
from infrastructure import broker
from runs.bootstrap import is_current

_has_all_migrations = False


def health(request: HttpRequest) -> HttpResponse:
    """Answer that the process runs. It checks no service, so that an outage does not make a supervisor restart it."""
    return HttpResponse("ok\n", content_type="text/plain")


def ready(request: HttpRequest) -> JsonResponse:
    """Report whether the database answers, the broker answers and all migrations are applied.

    The status is 503 unless all three are true.
    """
    parts = {"database": True, "broker": broker.answers(), "migrations": False}
    try:
        parts["migrations"] = _migrated()
    except (DatabaseError, InterfaceError):
        parts["database"] = False
    return JsonResponse(parts, status=200 if all(parts.values()) else 503)


def _migrated() -> bool:
    """Whether all migrations are applied. The database is always queried, and raises DatabaseError during an outage.

    Migrations are never undone, so their list is not read again after the first success.
    """
    global _has_all_migrations
    if _has_all_migrations:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    else:
        _has_all_migrations = is_current(MigrationRecorder(connection).applied_migrations())
    return _has_all_migrations


METHODS = ("GET", "HEAD")


def metrics(request: HttpRequest) -> HttpResponse:
    """Return metrics of the whole site. The request needs the operator's token."""
    if not settings.METRICS_TOKEN:
        return _sentence("Metrics are off. ECONEVALS_METRICS_TOKEN turns them on.", 404)
    if not constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}"):
        return _sentence(
            "Send the value of ECONEVALS_METRICS_TOKEN: Authorization: Bearer ...", 401, {"WWW-Authenticate": "Bearer"}
        )
    try:
        return HttpResponse(metrics_text(), content_type=CONTENT_TYPE)
    except (DatabaseError, InterfaceError):
        return _sentence("The database is away.", 503)


def _sentence(text: str, status: int, headers: dict[str, str] | None = None) -> HttpResponse:
    return HttpResponse(f"{text}\n", status=status, content_type="text/plain", headers=headers)


ADDRESSES: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    "/health": health,
    "/ready": ready,
    "/metrics": metrics,
}


class OperationAddresses(MiddlewareMixin):
    """Answers ADDRESSES before other middleware checks the host, session or scheme of a request."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        view = ADDRESSES.get(request.path)
        if view is None:
            return None
        response = view(request) if request.method in METHODS else HttpResponseNotAllowed(METHODS)
        response.headers["Cache-Control"] = "no-store"
        return response
