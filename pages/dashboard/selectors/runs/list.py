"""Tables of runs: of one experiment, or of the whole organization."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from accounts.models import User
from infrastructure.paging import TABLE_PAGE
from runs.findings.selectors import titles_of_runs, with_finding
from runs.models import Run, RunState
from runs.models.runs import RETRYABLE
from runs.selectors.cells import DIFFICULTIES
from runs.selectors.progress import UNPRICED
from workspace.discussion.models import Comment, Star
from workspace.discussion.selectors.tags import tags_of_runs

LEVEL = Case(
    *(When(instance__difficulty=name, then=Value(level)) for level, name in enumerate(DIFFICULTIES)),
    default=Value(len(DIFFICULTIES)),
)
SORTS = {
    "number": ("id",),
    "agent": ("agent__name",),
    "instance": ("instance__environment", "level", "instance__difficulty", "instance__seed"),
    "state": ("state",),
    "score": ("score",),
    "periods": ("periods_played",),
    "calls": ("queries",),
    "tokens": ("input_tokens",),
    "cost": ("cost_nano",),
}
STATE_GROUPS = {
    "pending": ("Queued or waiting", (RunState.QUEUED, RunState.WAITING)),
    "attention": ("Paused or failed", (RunState.PAUSED, *RETRYABLE)),
}
"""Filters for several states, as the home page counts them. Each single state is a filter too."""


@dataclass(frozen=True)
class RunList:
    """A page of filtered runs. `total` counts all runs; `hidden_finished` counts finished runs that the filters hide."""

    page: Page[Any]
    total: int
    hidden_finished: int

    @property
    def hidden(self) -> int:
        return self.total - self.page.paginator.count


COLUMNS = (
    *("id", "experiment_id", "experiment__name", "agent__name", "agent__slug", "agent__player_class", "variant"),
    *("instance__environment", "instance__difficulty", "instance__seed", "instance__generator"),
    *("state", "pause_cause", "reason"),
    *("score", "solved", "periods", "periods_played", "queries", "input_tokens", "output_tokens", "cost_nano"),
    *("imported", "starred", "comment_count", "unpriced"),
)


def state_choices() -> list[tuple[str, str]]:
    return [*RunState.choices, *((key, label) for key, (label, _) in STATE_GROUPS.items())]


def in_state(runs: QuerySet[Run], state: str) -> QuerySet[Run]:
    """Runs in a state or in one of STATE_GROUPS; all of them for anything else."""
    if state in STATE_GROUPS:
        return runs.filter(state__in=STATE_GROUPS[state][1])
    return runs.filter(state=state) if state in RunState.values else runs


@dataclass(frozen=True)
class RunFilter:
    """Filters of a table of runs; empty ones do not narrow it.

    text: searched in agent, environment, difficulty, variant and seed; every word must match
    state: a state or one of STATE_GROUPS
    finding: key of a rule; environment: name
    agent: slug of the agent of the runs; with `finding`, of the agent that the finding is about, which may be the rival
    """

    text: str = ""
    state: str = ""
    finding: str = ""
    agent: str = ""
    environment: str = ""

    def narrowed(self, runs: QuerySet[Run]) -> QuerySet[Run]:
        rows = _matching_terms(in_state(runs, self.state) if self.state else runs, self.text)
        if self.finding:
            rows = with_finding(rows, self.finding, self.agent)
        elif self.agent:
            rows = rows.filter(agent__slug=self.agent)
        return rows.filter(instance__environment=self.environment) if self.environment else rows


def _matching_terms(rows: QuerySet[Run], text: str) -> QuerySet[Run]:
    for word in text.split()[:8]:
        condition = Q(agent__name__icontains=word) | Q(variant__icontains=word)
        condition |= Q(instance__environment__icontains=word) | Q(instance__difficulty__icontains=word)
        if word.isdecimal() and len(word) < 10:
            condition |= Q(instance__seed=int(word))
        rows = rows.filter(condition)
    return rows


def run_list(
    runs: QuerySet[Run], *, reader: User, filters: RunFilter, sort: str = "instance", page: int | str = 1
) -> RunList:
    """A page of runs as dicts with tags, titles of findings, stars of the reader and numbers of comments."""
    rows = filters.narrowed(runs).alias(level=LEVEL)
    columns = SORTS.get(sort.removeprefix("-"), SORTS["instance"])
    down = sort.startswith("-")
    order = [F(c).desc(nulls_last=True) if down else F(c).asc(nulls_last=True) for c in columns]
    counted = Comment.objects.filter(run=OuterRef("pk")).order_by().values("run").annotate(n=Count("id")).values("n")
    annotated_rows = rows.annotate(
        starred=Exists(Star.objects.filter(run=OuterRef("pk"), user=reader, period_index=None)),
        comment_count=Coalesce(Subquery(counted), 0),
        unpriced=UNPRICED,
    )
    annotated_rows = annotated_rows.order_by(*order, "agent__name", "id").values(*COLUMNS)
    runs_page: Page[Any] = Paginator(annotated_rows, TABLE_PAGE).get_page(page)
    listed = list(runs_page.object_list)
    ids = [row["id"] for row in listed]
    tags, findings = tags_of_runs(ids), titles_of_runs(ids)
    runs_page.object_list = [
        row | {"tags": tags.get(row["id"], []), "findings": findings.get(row["id"], [])} for row in listed
    ]
    if filters == RunFilter():
        return RunList(runs_page, runs_page.paginator.count, 0)
    finished = Count("id", filter=Q(state=RunState.FINISHED))
    whole = runs.aggregate(total=Count("id"), finished=finished)
    return RunList(runs_page, whole["total"], whole["finished"] - rows.aggregate(finished=finished)["finished"])
