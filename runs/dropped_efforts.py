"""Marks runs of earlier versions whose effort the provider probably never got.

Those versions left a refused effort out without a word and kept it so until the process ended. Their journals do not say
how a query was sent, so only the replies can tell: a model that was set to think and shows no thinking did probably not.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.db.models import Q

from runs.conditions import conditions_key

MOST_REPLIES = 100
"""Of a seat, of which none may show thinking."""


def mark_dropped_efforts(runs: Any, exchanges: Any) -> int:
    """Set `conditions` and their key in runs of earlier versions. Returns how many. runs, exchanges: querysets of all rows

    Agents that are asked by Messages are left out: there, effort without thinking is possible.
    """
    with_effort = Q(agent__reasoning_effort__gt="") & ~Q(agent__provider="anthropic")
    rival_with_effort = Q(rival__reasoning_effort__gt="") & ~Q(rival__provider="anthropic")
    marked = 0
    for run in runs.filter(with_effort | rival_with_effort, conditions={}, imported=False).values_list("pk", flat=True):
        replied = exchanges.filter(run=run, state="replied").order_by("id")
        first = replied.filter(with_effort, period_index=0).order_by("seat")
        conditions = {
            seat: {"dropped_effort": effort}
            for seat, effort in first.values_list("seat", "agent__reasoning_effort").distinct()
            if shows_no_thinking(_few_at_once(replied.filter(seat=seat).values_list("reply", flat=True)))
        }
        if conditions:
            marked += runs.filter(pk=run).update(conditions=conditions, conditions_key=conditions_key(conditions))
    return marked


def shows_no_thinking(replies: Iterable[Mapping[str, Any]]) -> bool:
    """Whether there are replies, all of earlier versions, and none counts thinking tokens or holds thinking."""
    has_replies = False
    for reply in replies:
        if reply.get("sent") or reply.get("thinking") or reply.get("blocks") or reply["usage"].get("reasoning_tokens"):
            return False
        has_replies = True
    return has_replies


def _few_at_once(replies: Any) -> Iterator[Mapping[str, Any]]:
    """A model that thinks shows it in its first replies, so most journals need not be read further."""
    yield from replies[:4]
    yield from replies[4:MOST_REPLIES]
