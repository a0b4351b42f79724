"""Measures server time and queries of pages about many runs, for example 10,080 runs with 1,008,000 periods.

    python -m benchmarks scale [--seeds 40] [--agents 28] [--database URL] [PAGE ...]

28 agents play every benchmark at every difficulty, so there are 252 runs for each seed. `--seeds 1112 --agents 1` makes
10,008 instances. Every run has 100 periods, and 20 notes in the search index. The words of the notes have Zipf frequencies,
and w1 is the most frequent word.
"""

import random
from datetime import timedelta
from itertools import accumulate
from typing import Any

from django.db import connection
from django.utils import timezone

from accounts.models import Membership
from analysis.notes.models import IndexedRun, SearchEntry
from analysis.notes.search.indexing import COLUMNS
from benchmarks.furnished import play_small
from benchmarks.harness import spending
from benchmarks.own_site import client_of, first_owner, print_costs, settle
from environments.base import SINGLE_SEAT
from environments.generation import Recipe
from environments.registry import BENCHMARKS, GENERATION
from infrastructure.fields import CompressedJSONField, compressed
from infrastructure.transactions import insert_plain
from runs.models import Agent, Experiment, Instance, MetricSeries, Note, Run, RunState

PERIODS = 100
STATES = [RunState.FINISHED] * 9 + [RunState.STALLED]
NOTES, WORDS, VOCABULARY = 20, 40, 20_000
PAGES = [
    "/", "/leaderboard/", "/leaderboard/figure.json", "/leaderboard/?sort=-pricing.HARD", "/leaderboard/table.csv", "/runs/",
    "/experiments/", "/litmus/", "/trends/", "/trends/figure.json", "/cost/", "/compare/?agents=model-1&agents=model-2",
    "/compare/?agents=model-1&agents=model-2&agents=model-3&agents=model-4", "/behaviour/", "/behaviour/?chart=pricing",
    "/learning/", "/convergence/", "/variance/", "/conditions/", "/conditions/?by=difficulty", "/agents/model-1/",
    "/findings/", "/search/?q=w1+w20", "/search/?q=%22w1+w2%22&agent=1", "/search/?q=w19999",
    "/notes/", "/instances/", "/instances/?sort=-best", "/instances/?text=hard+7", "/methodology/",
    "/docs/", "/news/", "/leaderboards/pinned/", "/experiments/1/",
    "/experiments/1/progress.json", "/experiments/1/scores.json?environment=pricing&variant=main", "/experiments/new/",
    "/agents/", "/go/?q=model", "/spend/",
]  # fmt: skip


def main(*pages: str, seeds: int = 40, agents: int = 28) -> None:
    owner = first_owner()
    with spending() as spent, connection.cursor() as cursor:
        _, played = play_small(owner.organization)
        runs, periods, notes = add_runs(owner, played, seeds, agents), add_periods(), add_notes()
        cursor.execute("ANALYZE")
    made = f"{runs:,} runs, {periods:,} periods and {notes:,} notes"
    print(f"{made} on {connection.vendor}, made in {spent.seconds:.0f} s")
    settle()
    print_costs(client_of(owner), pages or PAGES)


def add_runs(owner: Membership, played: dict[str, Run], seeds: int, number_of_agents: int) -> int:
    """Add finished and unfinished runs of made-up agents.

    The scores vary around a mean of each agent. The metrics and the reference are those of the run that was played in the
    environment; shares among the metrics vary.
    """
    organization, rng, now = owner.organization, random.Random(0), timezone.now()
    agents = Agent.objects.bulk_create(
        Agent(organization=organization, slug=f"model-{n}", name=f"Model {n}", provider="openai", model=f"model-{n}",
              release_date=(now - timedelta(days=30 * n)).date())
        for n in range(1, number_of_agents + 1)
    )  # fmt: skip
    levels = [(name, difficulty) for name in BENCHMARKS for difficulty in GENERATION[name].difficulties]
    Instance.objects.bulk_create(
        (Instance.undrawn(organization, Recipe(name, level, seed, "published", GENERATION[name].difficulties[level]))
         for name, level in levels for seed in range(seeds)), ignore_conflicts=True,
    )  # fmt: skip
    instances = list(Instance.objects.filter(organization=organization).only("environment", "difficulty"))
    for instance in instances:
        instance.reference = played[instance.environment].instance.reference
    Instance.objects.bulk_update(instances, ["reference"], batch_size=500)
    experiment = Experiment.objects.create(organization=organization, name="Large", spec={}, created_by=owner.user)
    rows = []
    for agent in agents:
        strength = rng.random()
        for instance in instances:
            state = rng.choice(STATES)
            score = min(1.0, rng.gauss(strength, 0.15)) if state == RunState.FINISHED else None
            rows.append(
                Run(organization=organization, experiment=experiment, instance=instance, agent=agent, state=state,
                    score=score, solved=None if instance.environment == "pricing" else score == 1.0,
                    periods=PERIODS, periods_played=PERIODS, best_quality=0.5, prompt_version="x", config={},
                    metrics=varied(played[instance.environment].metrics, rng),
                    cost_nano=rng.randrange(10**9), started_at=now, ended_at=now, progressed_at=now)
            )  # fmt: skip
    Run.objects.bulk_create(rows, batch_size=5000)
    series = {
        name: [(each.metric, compressed(each.values)) for each in run.series.all()] for name, run in played.items()
    }
    of_runs = ((run.pk, *each) for run in rows for each in series[run.instance.environment])
    insert_plain(MetricSeries, ("run_id", "metric", "values"), of_runs)
    return len(rows)


def varied(metrics: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    return {key: value * rng.random() if isinstance(value, float) else value for key, value in metrics.items()}


def add_periods() -> int:
    """Add the same periods to every run, by one statement in the database."""
    empty = CompressedJSONField().get_db_prep_value({}, connection)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            WITH RECURSIVE indexes(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM indexes WHERE n < {PERIODS - 1})
            INSERT INTO runs_period (run_id, "index", action, result, quality, ended, queries, input_tokens, cached_tokens,
                                     output_tokens, cost_nano, seconds, created_at)
            SELECT runs_run.id, n, %s, %s, 0.5, {"FALSE" if connection.vendor == "postgresql" else 0}, 1, 900, 0, 90, 0, 1.0,
                   runs_run.created_at
            FROM runs_run CROSS JOIN indexes
            WHERE runs_run.prompt_version = 'x'
            """,
            [empty, empty],
        )
        cursor.execute("SELECT COUNT(*) FROM runs_period")
        return int(cursor.fetchone()[0])


def add_notes() -> int:
    """Add notes to every run, and their entries to the search index."""
    rng = random.Random(1)
    vocabulary = [f"w{rank}" for rank in range(1, VOCABULARY + 1)]
    weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
    texts = [" ".join(rng.choices(vocabulary, cum_weights=weights, k=WORDS)) for _ in range(50_000)]
    runs = list(
        Run.objects.filter(prompt_version="x")
        .values_list("pk", "organization", "agent", "instance__environment")
        .order_by("pk")
    )
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
