"""Server time and number of queries of pages over many runs, for example 10,080 runs with 1,008,000 periods.

    python benchmarks/scale.py [--seeds 40] [--agents 28] [--database URL]

28 agents play every benchmark at every difficulty, so there are 252 runs for each seed; `--seeds 1112 --agents 1` makes
10,008 instances. Every run has 100 periods and 20 notes in the search index, which are made of words of Zipf's frequencies:
w1 is the most frequent one. Uses a data folder of its own, or an empty PostgreSQL database. The first request of a page and
the median of nine more, by Django's test client, with their least processor time, which other programs on the machine change
little (of this process, so without PostgreSQL's).
"""

import argparse
import os
import random
import secrets
import statistics
import sys
import tempfile
import time
from datetime import timedelta
from itertools import accumulate
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--seeds", type=int, default=40, help="seeds of each environment and difficulty")
parser.add_argument("--agents", type=int, default=28)
parser.add_argument("--database", default="", help="URL of an empty PostgreSQL database instead of SQLite")
parser.add_argument("pages", nargs="*", help="paths to measure instead of the usual ones")
options = parser.parse_args()
os.environ["ECONEVALS_DATA_DIR"] = tempfile.mkdtemp(prefix="econevals-scale.")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")
if options.database:
    os.environ |= {
        "DATABASE_URL": options.database,
        "SECRET_KEY": secrets.token_hex(32),
        "REDIS_URL": "redis://127.0.0.1:1/0",
    }

import django  # noqa: E402

django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.urls import get_resolver  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts.models import Membership  # noqa: E402
from analysis.notes.models import IndexedRun, SearchEntry  # noqa: E402
from analysis.notes.search.indexing import COLUMNS  # noqa: E402
from econevals_site.serving.libraries import load_libraries  # noqa: E402
from environments.base import SINGLE_SEAT  # noqa: E402
from environments.generation import Recipe  # noqa: E402
from environments.registry import BENCHMARKS, GENERATION  # noqa: E402
from infrastructure.fields import CompressedJSONField  # noqa: E402
from infrastructure.processes.memory import settle_memory  # noqa: E402
from infrastructure.transactions import insert_plain  # noqa: E402
from runs.bootstrap import ensure_organization, migrate_if_needed  # noqa: E402
from runs.models import Agent, Experiment, Instance, Note, Run, RunState  # noqa: E402

PERIODS, REQUESTS = 100, 9
NOTES, WORDS, VOCABULARY = 20, 40, 20_000
PAGES = [
    "/", "/leaderboard/", "/leaderboard/figure.json", "/leaderboard/?sort=-pricing.HARD", "/leaderboard/table.csv", "/runs/",
    "/experiments/", "/litmus/", "/trends/", "/trends/figure.json", "/compare/?agents=model-1&agents=model-2",
    "/mechanisms/", "/agents/model-1/", "/findings/", "/search/?q=w1+w20", "/search/?q=%22w1+w2%22&agent=1",
    "/search/?q=w19999", "/notes/", "/instances/", "/instances/?sort=-best", "/instances/?text=hard+7", "/methodology/",
    "/docs/", "/news/", "/leaderboards/pinned/", "/experiments/1/",
    "/experiments/1/progress.json", "/experiments/1/scores.json?environment=pricing&variant=main", "/experiments/new/",
    "/agents/", "/go/?q=model", "/spend/",
]  # fmt: skip


def main() -> None:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    settings.ALLOWED_HOSTS = ["testserver"]
    migrate_if_needed()
    organization, _ = ensure_organization(allow_environment_keys=False)
    owner = organization.memberships.select_related("organization", "user").get()
    started = time.perf_counter()
    runs = add_runs(owner, options.seeds)
    periods, notes = add_periods(), add_notes()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    made = time.perf_counter() - started
    print(f"{runs:,} runs, {periods:,} periods and {notes:,} notes on {connection.vendor}, made in {made:.0f} s")
    assert get_resolver().url_patterns
    settle_memory()
    load_libraries().join()
    client = Client()
    client.force_login(owner.user)
    print(f"{'page':<48}{'first ms':>9}{'then ms':>9}{'CPU':>6}{'queries':>9}{'KB':>7}")
    for page in options.pages or PAGES:
        measure(client, page)


def add_runs(owner: Membership, seeds: int) -> int:
    """Finished and unfinished runs of made-up agents with scores around an agent's own mean."""
    organization, rng, now = owner.organization, random.Random(0), timezone.now()
    agents = Agent.objects.bulk_create(
        Agent(organization=organization, slug=f"model-{n}", name=f"Model {n}", provider="openai", model=f"model-{n}",
              release_date=(now - timedelta(days=30 * n)).date())
        for n in range(1, options.agents + 1)
    )  # fmt: skip
    places = [(name, difficulty) for name in BENCHMARKS for difficulty in GENERATION[name].difficulties]
    instances = Instance.objects.bulk_create(
        Instance.undrawn(organization, Recipe(name, level, seed, "published", GENERATION[name].difficulties[level]))
        for name, level in places
        for seed in range(seeds)
    )
    experiment = Experiment.objects.create(organization=organization, name="Large", spec={}, created_by=owner.user)
    states = [RunState.FINISHED] * 9 + [RunState.STALLED]
    rows = []
    for agent in agents:
        strength = rng.random()
        for instance in instances:
            state = rng.choice(states)
            score = min(1.0, rng.gauss(strength, 0.15)) if state == RunState.FINISHED else None
            rows.append(
                Run(organization=organization, experiment=experiment, instance=instance, agent=agent, state=state,
                    score=score, solved=None if instance.environment == "pricing" else score == 1.0,
                    periods=PERIODS, periods_played=PERIODS, prompt_version="x", config={}, metrics={},
                    cost_nano=rng.randrange(10**9), started_at=now, ended_at=now, progressed_at=now)
            )  # fmt: skip
    Run.objects.bulk_create(rows, batch_size=5000)
    return len(rows)


def add_periods() -> int:
    """Equal periods for every run, inserted by the database."""
    field = CompressedJSONField()
    empty = field.get_db_prep_value({}, connection)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            WITH RECURSIVE place(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM place WHERE n < {PERIODS - 1})
            INSERT INTO runs_period (run_id, "index", action, result, quality, ended, queries, input_tokens, cached_tokens,
                                     output_tokens, cost_nano, seconds, created_at)
            SELECT runs_run.id, n, %s, %s, 0.5, {"FALSE" if connection.vendor == "postgresql" else 0}, 1, 900, 0, 90, 0, 1.0,
                   runs_run.created_at
            FROM runs_run CROSS JOIN place
            """,
            [empty, empty],
        )
        cursor.execute("SELECT COUNT(*) FROM runs_period")
        return int(cursor.fetchone()[0])


def add_notes() -> int:
    """Notes of every run and their entries in the search index."""
    rng = random.Random(1)
    vocabulary = [f"w{rank}" for rank in range(1, VOCABULARY + 1)]
    weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
    texts = [" ".join(rng.choices(vocabulary, cum_weights=weights, k=WORDS)) for _ in range(50_000)]
    runs = list(Run.objects.values_list("pk", "organization", "agent", "instance__environment").order_by("pk"))
    periods = range(0, PERIODS, PERIODS // NOTES)
    for first in range(0, len(runs), 1000):
        some = runs[first : first + 1000]
        notes = Note.objects.bulk_create(
            (Note(run_id=run, period_index=period, seat=SINGLE_SEAT, order=0, text=rng.choice(texts))
             for run, *_ in some for period in periods), batch_size=5000,
        )  # fmt: skip
        by_run = {run: about for run, *about in some}
        rows = [(by_run[note.run_id][0], note.run_id, *by_run[note.run_id][1:], note.period_index, SINGLE_SEAT, "note",
                 note.pk, note.text) for note in notes]  # fmt: skip
        insert_plain(SearchEntry, COLUMNS, rows)
        IndexedRun.objects.bulk_create(
            IndexedRun(run_id=run, organization_id=organization, periods=PERIODS, is_visited=True, is_whole=True)
            for run, organization, *_ in some
        )
    return Note.objects.count()


def measure(client: Client, page: str) -> None:
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
    size = len(response.content) / 1000
    middle = statistics.median(times) * 1000
    print(f"{page:<48}{first * 1000:>9.0f}{middle:>9.0f}{min(used) * 1000:>6.0f}{number:>9}{size:>7.0f}")


if __name__ == "__main__":
    main()
