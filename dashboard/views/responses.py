"""What several views share: reporting an action, listing runs."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet

from accounts.pages.requests import MemberRequest
from accounts.pages.typed import typed
from dashboard.selectors.runs.list import RunFilter, run_list, state_choices
from environments.registry import RULES_BY_KEY
from infrastructure.text.formats import counted
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
    """Context of a table of runs, filtered and sorted by the query string; `default` is the order."""
    asked = {key: typed(request.GET, key) for key in ("text", "state", "finding", "agent", "environment")}
    sort = typed(request.GET, "sort")
    found = run_list(
        runs, reader=request.user, chosen=RunFilter(**asked), sort=sort or default, page=request.GET.get("page", 1)
    )
    return {
        "page": found.page,
        "runs": found,
        "asked": asked | {"sort": sort},
        "sort": sort or default,
        "states": state_choices(),
        "rules": RULES_BY_KEY.values(),
    }
