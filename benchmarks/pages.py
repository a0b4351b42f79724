"""Server time and size of every page, with a small and a large experiment.

    python benchmarks/pages.py

Uses a data folder of its own. Medians of nine requests by Django's test client after one to warm up.
"""

from __future__ import annotations

import os
import random
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

from accounts.models import Organization, User  # noqa: E402
from runs.bootstrap import ensure_organization, migrate_if_needed  # noqa: E402
from runs.engine.advance import advance  # noqa: E402
from runs.launching import LaunchPlan  # noqa: E402
from runs.models import Agent, Run, RunState  # noqa: E402
from runs.presets import BENCHMARKS  # noqa: E402
from runs.services import experiment_launch  # noqa: E402

REQUESTS = 9


def main() -> None:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    settings.ALLOWED_HOSTS = ["testserver"]
    migrate_if_needed()
    organization, _ = ensure_organization(allow_environment_keys=False)
    small, played = play_small(organization)
    large, runs = paint_large(organization)
    client = Client()
    client.force_login(User.objects.get())
    pages = ["/", "/experiments/", "/experiments/new/", "/agents/", "/leaderboard/"]
    pages += [f"/experiments/{small}/", f"/experiments/{large}/", f"/experiments/{large}/live/"]
    for environment, run in played.items():
        pages += [f"/runs/{run}/periods/63/", f"/runs/{run}/periods/63/?tab=transcript", f"/runs/{run}/figure.json"]
        print(f"run {run} plays {environment}, HARD")
    print(f"experiment {small} has {len(played)} runs, experiment {large} has {runs}")
    print(f"{'page':<44}{'ms':>6}{'KB':>6}")
    for page in pages:
        measure(client, page)


def play_small(organization: Organization) -> tuple[int, dict[str, int]]:
    """One HARD run of each environment, played to the end."""
    agents = (Agent.objects.get(organization=organization, slug="random"),)
    plan = LaunchPlan(environments=BENCHMARKS, difficulties=("HARD",), seeds=(0,), agents=agents)
    experiment = experiment_launch(organization=organization, user=None, plan=plan, name="Small")
    for run in experiment.runs.all():
        while run.state in {RunState.QUEUED, RunState.RUNNING}:
            advance(run.pk)
            run.refresh_from_db()
    return experiment.pk, {run.instance.environment: run.pk for run in experiment.runs.select_related("instance")}


def paint_large(organization: Organization) -> tuple[int, int]:
    """Many runs with made-up states and scores: the pages read only the rows."""
    agents = tuple(Agent.objects.filter(organization=organization, baseline="")[:14])
    plan = LaunchPlan(
        environments=BENCHMARKS, difficulties=("BASIC", "MEDIUM", "HARD"), seeds=tuple(range(12)), agents=agents
    )
    experiment = experiment_launch(organization=organization, user=None, plan=plan, name="Large")
    rng = random.Random(0)
    rows = list(experiment.runs.all())
    for run in rows:
        run.state = rng.choice([RunState.FINISHED] * 8 + [RunState.RUNNING, RunState.QUEUED, RunState.PAUSED])
        run.periods_played = 100 if run.state == RunState.FINISHED else rng.randrange(100)
        run.score = rng.random() if run.state == RunState.FINISHED else None
        run.cost_nano = rng.randrange(10**10)
    Run.objects.bulk_update(rows, ["state", "periods_played", "score", "cost_nano"])
    return experiment.pk, len(rows)


def measure(client: Client, page: str) -> None:
    response = client.get(page)
    assert response.status_code == 200, (page, response.status_code)
    size = len(response.content) / 1000
    times = []
    for _ in range(REQUESTS):
        started = time.perf_counter()
        client.get(page)
        times.append(time.perf_counter() - started)
    print(f"{page:<44}{statistics.median(times) * 1000:>6.0f}{size:>6.0f}")


if __name__ == "__main__":
    main()
