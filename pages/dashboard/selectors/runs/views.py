"""Columns of the lists of runs, and saved views of them."""

from collections.abc import Sequence

from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.shortcuts import get_object_or_404
from django.utils.http import urlencode

from accounts.models import Membership
from accounts.pages.requests import typed
from environments.registry import RULES_BY_KEY
from infrastructure.text.formats import lowfirst
from pages.dashboard.models import RunView
from pages.dashboard.selectors.runs.list import state_choices
from runs.selectors.cells import environment_title

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
"""Title by key. The number of the run is always shown, and the experiment only in lists of several."""


def chosen_columns(data: QueryDict) -> tuple[str, ...]:
    """The columns that a query string names; all of them if it names none."""
    requested_keys = data.getlist("columns")
    return tuple(key for key in LIST_COLUMNS if key in requested_keys) or tuple(LIST_COLUMNS)


def columns_query(columns: Sequence[str]) -> str:
    """The part of the query string that keeps these columns; empty for all of them."""
    return "" if len(columns) == len(LIST_COLUMNS) else urlencode({"columns": columns}, doseq=True)


def list_query(data: QueryDict) -> str:
    """The filters, order and columns of a query string, without those that change nothing and without the page."""
    values = {key: value for key in (*FILTERS, "sort") if (value := typed(data, key))}
    return "&".join(filter(None, (urlencode(values), columns_query(chosen_columns(data)))))


def removable(query: str) -> list[tuple[str, str]]:
    """(a few words, query string without it) of each filter, the order and the columns of a query string."""
    data = QueryDict(query)
    filters = {key: typed(data, key) for key in (*FILTERS, "sort")}
    rule = RULES_BY_KEY.get(filters["finding"])
    sort = LIST_COLUMNS.get(key := filters["sort"].removeprefix("-"), key)
    labels = {
        "text": f"“{filters['text']}”",
        "state": f"state {lowfirst(dict(state_choices()).get(filters['state'], filters['state']))}",
        "finding": f"finding {lowfirst(rule.title if rule else filters['finding'])}",
        "agent": f"agent {filters['agent']}",
        "environment": environment_title(filters["environment"]),
        "sort": f"by {lowfirst(sort)}, {'highest' if filters['sort'].startswith('-') else 'lowest'} first",
    }
    parts = {key: labels[key] for key, value in filters.items() if value}
    columns = chosen_columns(data)
    if len(columns) < len(LIST_COLUMNS):
        parts["columns"] = f"columns {', '.join(lowfirst(LIST_COLUMNS[key]) for key in columns)}"
    return [(label, _without(data, key)) for key, label in parts.items()]


def _without(data: QueryDict, key: str) -> str:
    rest = data.copy()
    rest.pop(key, None)
    return list_query(rest)


def run_views(*, member: Membership) -> QuerySet[RunView]:
    """The member's own views and those that others share, by name. One query."""
    visible = Q(user=member.user_id) | Q(is_shared=True)
    return RunView.objects.filter(visible, organization=member.organization_id).select_related("user")


def run_view_or_404(*, member: Membership, view_id: int) -> RunView:
    """A view that the member may change: their own, or for owners a shared one."""
    editable = Q(user=member.user_id)
    if member.may_manage:
        editable |= Q(is_shared=True)
    return get_object_or_404(RunView, editable, organization=member.organization_id, pk=view_id)
