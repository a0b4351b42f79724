"""Whether the web process answers, and whether it can do its work."""

from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse, JsonResponse

from infrastructure import broker
from runs.bootstrap import is_current

_has_all_migrations = False


def health(request: HttpRequest) -> HttpResponse:
    """The process answers. It asks for nothing else, so that no outage of a service makes a supervisor restart it."""
    return HttpResponse("ok\n", content_type="text/plain")


def ready(request: HttpRequest) -> JsonResponse:
    """Whether database, broker and tables are there, each by itself; status 503 unless all are."""
    parts = {"database": True, "broker": broker.answers(), "migrations": False}
    try:
        parts["migrations"] = _migrated()
    except (DatabaseError, InterfaceError):
        parts["database"] = False
    return JsonResponse(parts, status=200 if all(parts.values()) else 503)


def _migrated() -> bool:
    """Asks the database in any case. Its tables never go back, so after the first success their list is not read again."""
    global _has_all_migrations
    if _has_all_migrations:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    else:
        _has_all_migrations = is_current(MigrationRecorder(connection).applied_migrations())
    return _has_all_migrations
