"""Writes of spending: naming the agents of calls that a worker of the previous version journaled."""

from django.db.models import Case, OuterRef, Subquery, When
from django.db.models.functions import Coalesce

from environments.base import SINGLE_SEAT
from infrastructure.transactions import write_transaction
from runs.models import Exchange, Run

ROWS_AT_ONCE = 2000


def calls_name_agents() -> None:
    """Fill `Exchange.agent` where it is missing. Called by every sweep.

    A worker of a version without the column may still write calls during an upgrade. Without such rows this is one
    look into the index of the column. Rows that a worker has locked are left to the next sweep.
    """
    run = Run.objects.filter(pk=OuterRef("run"))
    agent, rival = Subquery(run.values("agent")), Subquery(run.values("rival"))
    player = Case(When(seat=SINGLE_SEAT, then=agent), default=Coalesce(rival, agent))
    missing = Exchange.objects.filter(agent=None).order_by("id")
    if not missing.exists():
        return
    with write_transaction():
        rows = missing.select_for_update(skip_locked=True, no_key=True).values_list("id", flat=True)[:ROWS_AT_ONCE]
        Exchange.objects.filter(pk__in=list(rows)).order_by().update(agent=player)
