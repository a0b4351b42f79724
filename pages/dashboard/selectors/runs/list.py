"""Tables of the runs of one experiment or of the organization, their columns, and saved views of them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.http import QueryDict
from django.shortcuts import get_object_or_404
from django.utils.http import urlencode

from accounts.models import Membership, User
from accounts.pages.requests import typed
from environments.registry import RULES_BY_KEY
from infrastructure.paging import TABLE_PAGE
from infrastructure.text.formats import compact, counted, lowfirst
from pages.dashboard.models import RunView
from pages.dashboard.selectors.lists import order_of, with_words
from runs.findings.selectors import titles_of_runs, with_finding
from runs.models import Run, RunState
from runs.models.runs import RETRYABLE
from runs.models.states import SHOWN, STATES_OF, StateGroup
from runs.selectors.cells import DIFFICULTIES, environment_name, environments_with
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
OLD_GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "pending": ("Queued", STATES_OF[StateGroup.QUEUED]),
    "attention": ("Needs attention", (RunState.PAUSED, *RETRYABLE)),
}
"""Further filters for several states, from links and from views saved earlier."""


COLUMNS = (
    *("id", "experiment_id", "experiment__name", "agent__name", "agent__slug", "agent__player_class", "variant"),
    *("instance__environment", "instance__difficulty", "instance__seed", "instance__generator"),
    *("state", "pause_cause", "reason"),
    *("score", "solved", "periods", "periods_played", "queries", "input_tokens", "output_tokens", "cost_nano"),
    *("imported", "starred", "comment_count", "unpriced"),
)


def state_choices(current: str = "") -> list[tuple[str, str]]:
    """The groups of states, and the filter in use if it is finer or older."""
    others = {key: label for key, (label, _) in OLD_GROUPS.items()}
    others |= {state: shown.label for state, shown in SHOWN.items() if state not in StateGroup.values}
    return [*StateGroup.choices, *([(current, others[current])] if current in others else [])]


def in_state(runs: QuerySet[Run], state: str) -> QuerySet[Run]:
    """Runs in a StateGroup, in a stored state, or in one of OLD_GROUPS; all runs for any other text."""
    if state in StateGroup.values:
        return runs.filter(state__in=STATES_OF[state])
    if state in OLD_GROUPS:
        return runs.filter(state__in=OLD_GROUPS[state][1])
    return runs.filter(state=state) if state in RunState.values else runs


def narrowed(runs: QuerySet[Run], filters: Mapping[str, str]) -> QuerySet[Run]:
    """The runs that fit filters of FILTERS. Empty values do not filter.

    text: words to find in agent, environment, difficulty, variant and seed; every word must match
    state: see in_state
    finding: key of a rule; environment: name
    agent: slug of the runs' agent; with `finding`, of the agent that the finding is about, which may be the rival
    """
    rows = with_words(in_state(runs, filters["state"]), filters["text"], _has_word)
    if filters["finding"]:
        rows = with_finding(rows, filters["finding"], filters["agent"])
    elif filters["agent"]:
        rows = rows.filter(agent__slug=filters["agent"])
    return rows.filter(instance__environment=filters["environment"]) if filters["environment"] else rows


def _has_word(word: str) -> Q:
    condition = Q(agent__name__icontains=word) | Q(variant__icontains=word)
    condition |= Q(instance__environment__in=environments_with(word)) | Q(instance__difficulty__icontains=word)
    return condition | Q(instance__seed=int(word)) if word.isdecimal() and len(word) < 10 else condition


def run_list(
    runs: QuerySet[Run], *, reader: User, filters: Mapping[str, str], sort: str = "instance", page: int | str = 1
) -> tuple[Page[Any], dict[str, int]]:
    """A page of runs as dicts, with tags, titles of findings, the reader's stars and numbers of comments.

    The second part is the number of all runs, of those that the filters hide, and of finished ones among the hidden.
    """
    rows = narrowed(runs, filters).alias(level=LEVEL)
    comments = Comment.objects.filter(run=OuterRef("pk")).order_by().values("run").annotate(n=Count("id")).values("n")
    annotated_rows = rows.annotate(
        starred=Exists(Star.objects.filter(run=OuterRef("pk"), user=reader, period_index=None)),
        comment_count=Coalesce(Subquery(comments), 0),
        unpriced=UNPRICED,
    )
    annotated_rows = annotated_rows.order_by(*order_of(sort, SORTS, "instance"), "agent__name", "id").values(*COLUMNS)
    runs_page: Page[Any] = Paginator(annotated_rows, TABLE_PAGE).get_page(page)
    listed = list(runs_page.object_list)
    ids = [row["id"] for row in listed]
    tags, findings = tags_of_runs(ids), titles_of_runs(ids)
    runs_page.object_list = [
        row | {"tags": tags.get(row["id"], []), "findings": findings.get(row["id"], [])} for row in listed
    ]
    number = runs_page.paginator.count
    if not any(filters.values()):
        return runs_page, {"total": number, "hidden": 0, "hidden_finished": 0}
    finished = Count("id", filter=Q(state=RunState.FINISHED))
    whole = runs.aggregate(total=Count("id"), finished=finished)
    hidden_finished = whole["finished"] - rows.aggregate(finished=finished)["finished"]
    return runs_page, {"total": whole["total"], "hidden": whole["total"] - number, "hidden_finished": hidden_finished}


FILTERS = ("text", "state", "finding", "agent", "environment")
LIST_COLUMNS = {
    "experiment": "Experiment",
    "agent": "Agent",
    "instance": "Instance",
    "state": "State",
    "score": "Score",
    "findings": "Findings",
    "periods": "Periods",
    "calls": "Calls",
    "tokens": "Tokens in, out",
    "cost": "Cost",
}
"""Titles of columns by key. The run number is always shown; the experiment only in lists of several experiments."""


def chosen_columns(data: QueryDict) -> tuple[str, ...]:
    """The columns named in a query string; all columns if it names none."""
    return tuple(key for key in LIST_COLUMNS if key in data.getlist("columns")) or tuple(LIST_COLUMNS)


SAME: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "experiment": lambda row: f"experiment {row['experiment__name']}",
    "agent": lambda row: row["agent__name"] if row["variant"] == "main" else "",
    "findings": lambda row: "" if row["findings"] else "no findings",
    "periods": lambda row: f"{row['periods_played']} of {row['periods']} periods",
    "calls": lambda row: counted(row["queries"], "call,calls"),
    "tokens": lambda row: f"{compact(row['input_tokens'])} tokens in, {compact(row['output_tokens'])} out",
}
"""Columns that say nothing if all rows are equal, and what is said instead; empty for a row that needs the column."""


def same_in_all(rows: Sequence[Mapping[str, Any]], sort: str) -> dict[str, str]:
    """What all rows of a list have in common, by column. The column of the order stays, and all columns of a short list."""
    texts = {key: {text(row) for row in rows} for key, text in SAME.items() if key != sort.removeprefix("-")}
    return {key: words.pop() for key, words in texts.items() if len(words) == 1 and "" not in words and len(rows) > 1}


def columns_query(columns: Sequence[str]) -> str:
    """The part of the query string that selects these columns; empty for all columns."""
    return "" if len(columns) == len(LIST_COLUMNS) else urlencode({"columns": columns}, doseq=True)


def list_query(data: QueryDict) -> str:
    """The filters, order and columns of a query string, without defaults and without the page number."""
    values = {key: value for key in (*FILTERS, "sort") if (value := typed(data, key))}
    return "&".join(filter(None, (urlencode(values), columns_query(chosen_columns(data)))))


def removable(query: str) -> list[tuple[str, str]]:
    """(description, query string without it) of each filter, of the order and of the columns in a query string."""
    data = QueryDict(query)
    filters = {key: typed(data, key) for key in (*FILTERS, "sort")}
    rule = RULES_BY_KEY.get(filters["finding"])
    sort = LIST_COLUMNS.get(key := filters["sort"].removeprefix("-"), key)
    labels = {
        "text": f"“{filters['text']}”",
        "state": f"state {lowfirst(dict(state_choices(filters['state'])).get(filters['state'], filters['state']))}",
        "finding": f"finding {lowfirst(rule.title if rule else filters['finding'])}",
        "agent": f"agent {filters['agent']}",
        "environment": environment_name(filters["environment"]),
        "sort": f"by {lowfirst(sort)}, {'highest' if filters['sort'].startswith('-') else 'lowest'} first",
    }
    parts = {key: labels[key] for key, value in filters.items() if value}
    columns = chosen_columns(data)
    if len(columns) < len(LIST_COLUMNS):
        parts["columns"] = f"columns {', '.join(lowfirst(LIST_COLUMNS[key]) for key in columns)}"
    return [(label, list_query(_without(data, key))) for key, label in parts.items()]


def _without(data: QueryDict, key: str) -> QueryDict:
    rest = data.copy()
    rest.pop(key, None)
    return rest


def run_views(*, member: Membership) -> QuerySet[RunView]:
    """The member's own views and the shared views of others, sorted by name. One query."""
    visible = Q(user=member.user_id) | Q(is_shared=True)
    return RunView.objects.filter(visible, organization=member.organization_id).select_related("user")


def run_view_or_404(*, member: Membership, view_id: int) -> RunView:
    """A view that the member may change: an own one or, for owners, also a shared one."""
    editable = Q(user=member.user_id) | (Q(is_shared=True) if member.may_manage else Q())
    return get_object_or_404(RunView, editable, organization=member.organization_id, pk=view_id)
