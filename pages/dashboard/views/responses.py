"""What several views share: reporting an action, listing runs."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import QueryDict
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from accounts.pages.requests import MemberRequest
from accounts.pages.typed import typed
from environments.registry import RULES_BY_KEY
from infrastructure.text.formats import counted
from pages.dashboard.selectors.runs import list as run_lists
from runs.models import Run

SENTENCES = {
    "pause": "Pausing {}. A running run stops after its current model call.",
    "resume": "Resumed {}.",
    "cancel": "Cancelled {}. Played periods are kept.",
    "retry": "Queued {} again. A run continues after its last played period.",
}


def report_action(request: MemberRequest, action: str, number: int, where: str = "") -> None:
    """Tell the reader how many runs an action of SENTENCES changed."""
    changed = SENTENCES[action].format(counted(number, "run,runs") + where)
    messages.success(request, changed if number else "Nothing changed: no run allows this now.")


def runs_context(request: MemberRequest, runs: QuerySet[Run], default: str) -> dict[str, Any]:
    """Context of a table of runs, filtered, sorted and shown in columns by the query string; `default` is the order."""
    filters = {key: typed(request.GET, key) for key in run_lists.FILTERS}
    columns, query = run_lists.chosen_columns(request.GET), run_lists.list_query(request.GET)
    sort = typed(request.GET, "sort")
    listed_runs = run_lists.run_list(
        runs,
        reader=request.user,
        filters=run_lists.RunFilter(**filters),
        sort=sort or default,
        page=request.GET.get("page", 1),
    )
    return {
        "page": listed_runs.page,
        "runs": listed_runs,
        "filters": filters | {"sort": sort},
        "sort": sort or default,
        "states": run_lists.state_choices(),
        "rules": RULES_BY_KEY.values(),
        "columns": columns,
        "all_columns": run_lists.LIST_COLUMNS,
        "columns_query": run_lists.columns_query(columns),
        "list_query": query,
        "removable": run_lists.removable(query),
        "views": run_lists.run_views(member=request.membership),
    }


def back(data: QueryDict) -> str:
    """The list of runs that a form or link came from, as its field `back` says; else that of all runs."""
    address = data.get("back", "")
    return address if url_has_allowed_host_and_scheme(address, allowed_hosts=None) else reverse("dashboard:runs")
