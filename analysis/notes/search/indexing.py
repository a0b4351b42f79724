"""The full-text index of the table of entries, and its upkeep.

The index is an FTS5 table in SQLite and a column in PostgreSQL. Because of this difference it is not part of a
migration, but created after the migrations. Triggers in SQLite, and a generated column in PostgreSQL, apply every
insertion and deletion of entries. Entries that are deleted with their run therefore leave the index too.

Workers fill the index in the background, so that the engine's writes stay fast. They read a run by whole periods,
which are stored in one transaction and do not change afterwards. If a run stops within a period, that period is read
once the run is at rest, and again if the run continues.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, connections
from django.db.models import F, Q, QuerySet

from agents.tools import WRITE
from analysis.notes.models import EntryKind, IndexedRun, SearchEntry
from analysis.notes.search.words import indexed_words, reply_text, thinking_text
from infrastructure.transactions import insert_plain, write_transaction
from runs.models import Exchange, Note, Run
from runs.models.records import ANSWERED
from runs.models.runs import ACTIVE, TERMINAL

RUNS_AT_ONCE = 20
PERIODS_AT_ONCE = 25
"""The most periods of one run in a transaction. Transactions are kept short, since the engine may wait for them."""
REGISTERED_AT_ONCE = 500
OVERLAP = 2000
"""Number of ids before the newest registered run that are checked again. A run with a smaller id may be committed later."""

COLUMNS = (
    "organization_id", "run_id", "agent_id", "environment", "period_index", "seat", "kind", "source_id", "words",
)  # fmt: skip

LAGGING = Q(is_whole=False, run__deleted_at=None) & (
    Q(is_visited=False)
    | Q(run__periods_played__gt=F("periods"))
    | (~Q(run__state__in=ACTIVE) & ~Q(run__queries=F("queries")))
    | Q(run__state__in=TERMINAL)
)
"""A filter of IndexedRun: whether there is something to index."""


@dataclass(frozen=True)
class Stretch:
    """The periods of a run to index next, after those that `before` has."""

    run: Run
    before: IndexedRun

    @property
    def whole_periods(self) -> int:
        """The number of whole periods that the index has afterwards."""
        return min(self.run.periods_played, self.before.periods + PERIODS_AT_ONCE)

    @property
    def has_caught_up(self) -> bool:
        return self.whole_periods >= self.run.periods_played

    @property
    def is_at_rest(self) -> bool:
        return self.run.state not in ACTIVE and self.whole_periods == self.run.periods_played


def index_for(seconds: float) -> bool:
    """Write the index for some seconds. Returns whether there is more to do.

    Each run is brought up to date once. Periods that it plays meanwhile are left to the next sweep, since following a
    run period by period costs a worker more than playing it.
    """
    deadline = time.monotonic() + seconds
    after: int | None = 0
    while after is not None:
        if time.monotonic() >= deadline:
            return True
        if not register_runs():
            after = index_some(after)
    return False


def has_work() -> bool:
    return fresh_runs().exists() or IndexedRun.objects.filter(LAGGING).exists()


def fresh_runs() -> QuerySet[Run]:
    """Runs that are not registered in the index."""
    newest = IndexedRun.objects.order_by("-run").values_list("run", flat=True).first() or 0
    indexed_runs = IndexedRun.objects.filter(run__gt=newest - OVERLAP).values("run")
    return Run.objects.filter(pk__gt=newest - OVERLAP).exclude(pk__in=indexed_runs).order_by("pk")


def register_runs() -> bool:
    """Register some runs that the index does not know. Returns whether there were any."""
    new_runs = fresh_runs().values_list("pk", "organization")[:REGISTERED_AT_ONCE]
    rows = [IndexedRun(run_id=run, organization_id=lab) for run, lab in new_runs]
    # A run may be deleted meanwhile. The next sweep tries again.
    with suppress(IntegrityError), write_transaction():
        IndexedRun.objects.bulk_create(rows, ignore_conflicts=True)
    return bool(rows)


def index_some(after: int) -> int | None:
    """Index some periods of the next few runs in one transaction. Returns the run to continue after, None at the end."""
    runs = Run.objects.select_related("instance").only(
        "organization", "agent", "rival", "state", "periods", "periods_played", "queries", "instance__environment"
    )
    # Oldest runs first, so that ids of entries ascend with the runs.
    behind = {
        row.run_id: row for row in IndexedRun.objects.filter(LAGGING, run__gt=after).order_by("run")[:RUNS_AT_ONCE]
    }
    if not behind:
        return None
    stretches = [Stretch(run, behind[run.pk]) for run in runs.filter(pk__in=behind).order_by("pk")]
    entries = {stretch.run.pk: entries_of(stretch) for stretch in stretches}
    with write_transaction():
        written = [stretch for stretch in stretches if _mark(stretch)]
        for stretch in written:
            SearchEntry.objects.filter(run=stretch.run, period_index__gte=stretch.before.periods).delete()
        insert_plain(SearchEntry, COLUMNS, [row for stretch in written for row in entries[stretch.run.pk]])
    # The next call begins with the first run that has more periods.
    unfinished = (stretch.run.pk - 1 for stretch in written if not stretch.has_caught_up)
    return min(unfinished, default=max(behind))


def _mark(stretch: Stretch) -> bool:
    """Note how far the run is indexed. Returns False if another worker did so, or if the run is gone."""
    before = stretch.before
    rows = IndexedRun.objects.filter(pk=before.pk, periods=before.periods, queries=before.queries)
    return bool(
        rows.filter(is_visited=before.is_visited, is_whole=False).update(
            periods=stretch.whole_periods,
            queries=stretch.run.queries if stretch.has_caught_up else before.queries,
            is_visited=stretch.has_caught_up or before.is_visited,
            is_whole=stretch.is_at_rest and stretch.run.state in TERMINAL,
        )
    )


def entries_of(stretch: Stretch) -> list[tuple[Any, ...]]:
    """The rows of SearchEntry for the stretch, with values in the order of COLUMNS."""
    run = stretch.run
    # Once the run is at rest, the period in which it stopped is read too.
    end = stretch.whole_periods + stretch.is_at_rest
    within = Q(run=run, period_index__gte=stretch.before.periods, period_index__lt=end)
    notes: Iterable[Any] = Note.objects.filter(within).values_list("period_index", "seat", "pk", "text")
    exchanges = Exchange.objects.filter(within, state__in=ANSWERED)
    replies: Iterable[Any] = exchanges.values_list("period_index", "seat", "pk", "reply")
    texts = [(*place, EntryKind.NOTE, pk, text) for *place, pk, text in notes]
    for *place, pk, reply in replies:
        texts.append((*place, EntryKind.REPLY, pk, reply_text(reply, WRITE)))
        texts.append((*place, EntryKind.THINKING, pk, thinking_text(reply)))
    rows = [
        (run.organization_id, run.pk, run.agent_in(seat).pk if run.rival_id else run.agent_id,
         run.instance.environment, period, seat, kind, source, indexed_words(text))
        for period, seat, kind, source, text in texts
    ]  # fmt: skip
    return sorted((row for row in rows if row[-1]), key=lambda row: row[4])


TABLE, INDEX = "notes_searchentry", "notes_searchindex"


def _scope(row: str) -> str:
    """The SQL of a row's `scope`. row: the trigger's name for the row, `new` or `old`"""
    return (
        f"'o' || {row}.organization_id || ' r' || {row}.run_id || ' a' || {row}.agent_id"
        f" || ' e' || {row}.environment || ' k' || {row}.kind"
    )


SQLITE = (
    f"CREATE VIRTUAL TABLE IF NOT EXISTS {INDEX} USING fts5(scope, words, content='', tokenize='unicode61 tokenchars _')",
    f"CREATE TRIGGER IF NOT EXISTS {INDEX}_insert AFTER INSERT ON {TABLE} BEGIN"
    f" INSERT INTO {INDEX}(rowid, scope, words) VALUES (new.id, {_scope('new')}, new.words); END",
    f"CREATE TRIGGER IF NOT EXISTS {INDEX}_delete AFTER DELETE ON {TABLE} BEGIN"
    f" INSERT INTO {INDEX}({INDEX}, rowid, scope, words)"
    f" VALUES ('delete', old.id, {_scope('old')}, old.words); END",
)
"""The index stores no text. `scope` has the organization, run, agent, environment and kind as words. FTS5 looks them up like
any word, so a search in one organization does not read the hits of other organizations."""

POSTGRES = (
    f"ALTER TABLE {TABLE} ADD COLUMN IF NOT EXISTS vector tsvector"
    " GENERATED ALWAYS AS (to_tsvector('simple', words)) STORED",
    f"CREATE INDEX IF NOT EXISTS {INDEX} ON {TABLE} USING gin (vector)",
)


def prepare_index(using: str = "default", **options: Any) -> None:
    """Create the missing parts of the index. Called after every migration."""
    connection = connections[using]
    with connection.cursor() as cursor:
        if TABLE in connection.introspection.table_names(cursor):
            for statement in SQLITE if connection.vendor == "sqlite" else POSTGRES:
                cursor.execute(statement)
