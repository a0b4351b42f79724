"""Hits of a search, always within one organization, with a constant number of queries."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page
from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse

from accounts.models import Organization
from agents.tools import WRITE
from analysis.notes.models import EntryKind, IndexedRun, SearchEntry
from analysis.notes.search import words
from analysis.notes.search.indexing import INDEX, TABLE
from infrastructure.paging import LIST_PAGE, PageNumber, paged
from infrastructure.text.formats import counted
from runs.models import Agent, Exchange, Note, Run
from runs.selectors.cells import environment_title
from runs.selectors.experiments import WITHOUT_BULK, run_title

MOST_HITS = 1000


@dataclass(frozen=True)
class SearchFilter:
    """The search. run, agent: ids; kind: an EntryKind, or empty for all"""

    typed: str = ""
    run: int | None = None
    agent: int | None = None
    environment: str = ""
    kind: str = ""

    @property
    def query(self) -> words.SearchQuery:
        return words.parse_query(self.typed)


@dataclass(frozen=True)
class Hit:
    """A text that has every term. pieces: a snippet in parts, each with whether it matches"""

    run: Run
    period: int
    kind: str
    agent: str
    pieces: list[tuple[str, bool]]

    @property
    def title(self) -> str:
        return run_title(self.run)

    @property
    def url(self) -> str:
        tab = "notes" if self.kind == EntryKind.NOTE else "transcript"
        return f"{reverse('dashboard:period', args=[self.run.pk, self.period])}?tab={tab}"

    @property
    def kind_label(self) -> str:
        return EntryKind(self.kind).label

    @property
    def text(self) -> str:
        return "".join(piece for piece, _ in self.pieces)


@dataclass(frozen=True)
class SearchResults:
    """One page of hits. sentence: the number of hits, and what was not searched"""

    page: Page[Hit]
    sentence: str


def search(
    *, organization: Organization, search_filter: SearchFilter, page: PageNumber = None, size: int = LIST_PAGE
) -> SearchResults | None:
    """The hits, newest run first, then by period. None if the query has no search term."""
    query = search_filter.query
    if not query.terms:
        return None
    ids = matching_ids(organization, search_filter, query)
    entries = entries_of(organization, ids).order_by("-run_id", "period_index", "id")
    hits_page: Page[Any] = paged(entries, size, page, lambda entry: entry)
    hits_page.object_list = hits_of(list(hits_page.object_list), query)
    return SearchResults(hits_page, _sentence(hits_page.paginator.count, len(ids) > MOST_HITS, query))


def _sentence(count: int, is_cut: bool, query: words.SearchQuery) -> str:
    many = f"More than {MOST_HITS:,} hits; these are the newest." if is_cut else f"{counted(count, 'hit,hits')}."
    return " ".join(filter(None, ("No hits." if not count else many, query.note)))


def matching_ids(organization: Organization, search_filter: SearchFilter, query: words.SearchQuery) -> list[int]:
    """Ids of entries, newest first, at most one more than MOST_HITS."""
    columns = {
        "organization_id": organization.pk,
        "run_id": search_filter.run,
        "agent_id": search_filter.agent,
        "environment": search_filter.environment,
        "kind": search_filter.kind,
    }
    conditions: dict[str, Any] = {column: value for column, value in columns.items() if value}
    if connection.vendor == "sqlite":
        # The words of `scope` begin with the first letter of their column.
        within = [f"{column[0]}{value}" for column, value in conditions.items()]
        statement = f"SELECT rowid FROM {INDEX} WHERE {INDEX} MATCH %s ORDER BY rowid DESC LIMIT %s"
        values: list[Any] = [words.fts5_query(query, within), MOST_HITS + 1]
    else:
        where = "".join(f" AND {column} = %s" for column in conditions)
        statement = f"SELECT id FROM {TABLE} WHERE vector @@ to_tsquery('simple', %s){where} ORDER BY id DESC LIMIT %s"
        values = [words.tsquery(query), *conditions.values(), MOST_HITS + 1]
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [number for (number,) in cursor.fetchall()]


def entries_of(organization: Organization, ids: list[int]) -> QuerySet[SearchEntry]:
    return SearchEntry.objects.filter(pk__in=ids[:MOST_HITS], organization=organization, run__deleted_at=None).defer(
        "words"
    )


def hits_of(entries: list[SearchEntry], query: words.SearchQuery) -> list[Hit]:
    sources = {kind: [entry.source_id for entry in entries if entry.kind == kind] for kind in EntryKind}
    notes: Any = Note.objects.filter(pk__in=sources[EntryKind.NOTE]).order_by().values_list("pk", "text")
    read = {*sources[EntryKind.REPLY], *sources[EntryKind.THINKING]}
    replies: Any = list(Exchange.objects.filter(pk__in=read).order_by().values_list("pk", "reply"))
    texts = {
        **{(EntryKind.NOTE.value, pk): text for pk, text in notes},
        **{(EntryKind.REPLY.value, pk): words.reply_text(reply, WRITE) for pk, reply in replies},
        **{(EntryKind.THINKING.value, pk): words.thinking_text(reply) for pk, reply in replies},
    }
    related = Run.objects.select_related("instance", "agent", "rival").defer(*WITHOUT_BULK)
    runs = related.in_bulk({entry.run_id for entry in entries})
    pattern = words.pattern_of(query)
    return [
        Hit(
            run=(run := runs[entry.run_id]),
            period=entry.period_index,
            kind=entry.kind,
            agent=run.agent_in(entry.seat).name,
            pieces=words.snippet(texts.get((entry.kind, entry.source_id), ""), pattern),
        )
        for entry in entries
        if entry.run_id in runs
    ]


def index_state(*, organization: Organization) -> str:
    """A sentence about runs that are not in the index yet; empty if there are none."""
    every = Run.objects.filter(organization=organization).count()
    visited = IndexedRun.objects.filter(organization=organization, is_visited=True, run__deleted_at=None).count()
    if visited >= every:
        return ""
    waiting = counted(every - visited, "run is,runs are")
    return f"{waiting} not in the index yet, or not wholly, out of {every:,}. A worker adds them in the background."


def search_agents(*, organization: Organization) -> QuerySet[Agent]:
    """Agents that have a run."""
    has_run = Exists(Run.objects.filter(agent=OuterRef("pk")))
    return Agent.objects.filter(has_run, organization=organization).order_by("name")


def search_environments(*, organization: Organization) -> list[tuple[str, str]]:
    """(name, title) of the environments with a run."""
    names = Run.objects.filter(organization=organization).order_by().values_list("instance__environment", flat=True)
    return sorted(((name, environment_title(name)) for name in names.distinct()), key=lambda pair: pair[1])
