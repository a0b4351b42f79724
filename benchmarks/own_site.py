"""A site in the process of a benchmark: its first organization, and what its pages cost."""

import statistics
import time
from collections.abc import Iterable
from datetime import date

from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver

from accounts.models import Membership
from econevals_site.serving.libraries import load_libraries
from infrastructure.processes.memory import settle_memory
from runs import catalog
from runs.bootstrap import ensure_organization, migrate_if_needed

REQUESTS = 9


def first_owner() -> Membership:
    """The owner of the first organization. Makes the tables, and lets Django's test client load pages."""
    catalog.today = lambda: date(2025, 1, 1)  # No model is called, so retired ones serve as well.
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    settings.ALLOWED_HOSTS = ["testserver"]
    migrate_if_needed()
    organization, _ = ensure_organization(allow_environment_keys=False)
    return organization.memberships.select_related("organization", "user").get()


def client_of(owner: Membership) -> Client:
    client = Client()
    client.force_login(owner.user)
    return client


def program_of(token: str) -> Client:
    return Client(headers={"authorization": f"Bearer {token}"})


def settle() -> None:
    """Import and load what the web process has ready before its first request, as asgi.py does."""
    assert get_resolver().url_patterns
    settle_memory()
    load_libraries().join()


def print_costs(client: Client, pages: Iterable[str], *, with_head: bool = True) -> None:
    """A row for each page: milliseconds of the first request and the median of nine more, and their least processor time.

    Other programs on the machine change the least processor time little. It is that of this process, without PostgreSQL's.
    """
    if with_head:
        print(f"{'page':<48}{'first ms':>9}{'then ms':>9}{'CPU ms':>8}{'queries':>9}{'KB':>7}")
    for page in pages:
        started = time.perf_counter()
        with CaptureQueriesContext(connection) as queries:
            response = client.get(page)
        number = len(queries)
        first = time.perf_counter() - started
        assert response.status_code == 200, (page, response.status_code)
        times, used = [], []
        for _ in range(REQUESTS):
            started, before = time.perf_counter(), time.process_time()
            client.get(page)
            times.append(time.perf_counter() - started)
            used.append(time.process_time() - before)
        milliseconds = f"{first * 1000:>9.0f}{statistics.median(times) * 1000:>9.0f}{min(used) * 1000:>8.0f}"
        print(f"{page:<48}{milliseconds}{number:>9}{len(response.content) / 1000:>7.0f}")
