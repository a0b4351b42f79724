"""Server time and size of every page, with a small and a large experiment.

    python benchmarks/pages.py

Uses a data folder of its own. Medians of nine requests by Django's test client after one to warm up, and
the least processor time of the nine, which other programs on the machine change little.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ["ECONEVALS_DATA_DIR"] = tempfile.mkdtemp(prefix="econevals-pages.")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")

import django  # noqa: E402

django.setup()

from django.conf import settings  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import get_resolver  # noqa: E402

from benchmarks.furnished import (  # noqa: E402
    add_discussion,
    add_leaderboards,
    add_links,
    add_people,
    add_programs,
    paint_large,
    play_litmus,
    play_small,
)
from econevals_site.serving.libraries import load_libraries  # noqa: E402
from infrastructure.processes.memory import settle_memory  # noqa: E402
from runs.bootstrap import ensure_organization, migrate_if_needed  # noqa: E402

REQUESTS = 9


def main() -> None:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    settings.ALLOWED_HOSTS = ["testserver"]
    migrate_if_needed()
    organization, _ = ensure_organization(allow_environment_keys=False)
    owner = organization.memberships.select_related("organization", "user").get()
    small, runs_by_environment = play_small(organization, owner.user)
    play_litmus(organization, owner.user)
    large = paint_large(organization, owner.user)
    add_people(owner)
    talked = runs_by_environment["pricing"]
    add_discussion(owner, talked, list(large.runs.select_related("experiment")[:200]))
    boards = add_leaderboards(owner)
    tokens = add_links(owner, [boards[0], boards[4], large, talked])
    webhook, bearer = add_programs(owner)
    # As asgi.py does.
    assert get_resolver().url_patterns
    settle_memory()
    load_libraries().join()
    client = Client()
    client.force_login(owner.user)
    pages = ["/", "/news/", "/experiments/", "/experiments/new/", "/agents/", "/leaderboard/", "/litmus/"]
    pages += [f"/experiments/{small.pk}/", f"/experiments/{large.pk}/", f"/experiments/{large.pk}/live/"]
    for run in runs_by_environment.values():
        path = f"/runs/{run.pk}/"
        pages += [path, f"{path}periods/63/", f"{path}periods/63/?tab=transcript", f"{path}figure.json"]
    pages += ["/ledger/", f"/experiments/{large.pk}/ledger/", "/spend/", "/spend/figure.json"]
    pages += ["/leaderboards/", "/leaderboards/pinned/", *(f"/leaderboards/{board.pk}/" for board in boards)]
    pages += ["/share/", f"/share/leaderboard/{boards[0].pk}/"]
    pages += ["/starred/", "/mentions/", "/tags/", "/exports/", "/experiments/import/"]
    pages += ["/organization/", "/organization/audit/", "/organization/tokens/", "/account/", "/account/tokens/"]
    pages += ["/organization/webhooks/", f"/organization/webhooks/{webhook}/"]
    api = ["experiments", f"experiments/{large.pk}", f"runs?experiment={large.pk}&limit=200", "leaderboards", "agents"]
    print(
        f"experiment {small.pk} has {len(runs_by_environment)} runs, experiment {large.pk} has {large.runs.count()}; "
        "60 comments"
    )
    print(f"are on run {talked.pk}; members 41, links 64, deliveries 400, calls {large.runs.count() * 20:,}")
    print(f"{'page':<44}{'ms':>6}{'CPU':>6}{'KB':>6}")
    for page in pages:
        measure(client, page)
    for token in tokens:
        measure(Client(), f"/s/{token}/")
    program = Client(headers={"authorization": f"Bearer {bearer}"})
    for path in api:
        measure(program, f"/api/v1/{path}")


def measure(client: Client, page: str) -> None:
    response = client.get(page)
    assert response.status_code == 200, (page, response.status_code)
    size = len(response.content) / 1000
    times, used = [], []
    for _ in range(REQUESTS):
        started, before = time.perf_counter(), time.process_time()
        client.get(page)
        times.append(time.perf_counter() - started)
        used.append(time.process_time() - before)
    print(f"{page:<44}{statistics.median(times) * 1000:>6.0f}{min(used) * 1000:>6.0f}{size:>6.0f}")


if __name__ == "__main__":
    main()
