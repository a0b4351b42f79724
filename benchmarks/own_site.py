"""A site in the process of a benchmark: its first organization, and the time of its pages."""

import statistics
from collections.abc import Iterable
from datetime import date

from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver

from accounts.models import Membership
from benchmarks.harness import spending
from econevals_site.serving.libraries import load_libraries
from infrastructure.processes.memory import settle_memory
from runs import catalog
from runs.bootstrap import ensure_organization, migrate_if_needed

REQUESTS = 9


def first_owner() -> Membership:
    """Create the tables and the first organization; return its owner. Sets Django up for pages by its test client."""
    catalog.today = lambda: date(2025, 1, 1)  # Retired models may be used, because none is called.
    settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
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
    """Import and load, as asgi.py does, the modules that the web process loads before its first request."""
    assert get_resolver().url_patterns
    settle_memory()
    load_libraries().join()


def print_costs(client: Client, pages: Iterable[str], *, with_head: bool = True) -> None:
    """Print a row for each page: milliseconds of the first request, the median of nine more, and their least CPU time.

    The least CPU time hardly depends on other programs of the machine. It is the time of this process without PostgreSQL.
    """
    if with_head:
        print(f"{'page':<48}{'first ms':>9}{'then ms':>9}{'CPU ms':>8}{'queries':>9}{'KB':>7}")
    for page in pages:
        with spending() as first, CaptureQueriesContext(connection) as queries:
            response = client.get(page)
        number = len(queries)
        assert response.status_code == 200, (page, response.status_code)
        costs = []
        for _ in range(REQUESTS):
            with spending() as spent:
                client.get(page)
            costs.append(spent)
        then, least = statistics.median(cost.seconds for cost in costs), min(cost.processor for cost in costs)
        milliseconds = f"{first.seconds * 1000:>9.0f}{then * 1000:>9.0f}{least * 1000:>8.0f}"
        print(f"{page:<48}{milliseconds}{number:>9}{len(response.content) / 1000:>7.0f}")
