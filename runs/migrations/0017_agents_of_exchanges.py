from django.db import migrations
from django.db.models import Case, Max, OuterRef, Subquery, When
from django.db.models.functions import Coalesce

ROWS_AT_ONCE = 10_000


def fill_agents(apps, schema_editor):
    """Calls of the first seat are of the run's agent, those of other seats of its rival, where it has one.

    Each statement is a transaction of its own, so that no row is locked for longer than a fraction of a second.
    Calls of runs in play are left to `spending.services`, so that a worker never waits for this migration.
    A million calls take PostgreSQL about a minute. SQLite writes each call with its reply once more.
    """
    Exchange, Run = apps.get_model("runs", "Exchange"), apps.get_model("runs", "Run")
    run = Run.objects.filter(pk=OuterRef("run"))
    agent, rival = Subquery(run.values("agent")), Subquery(run.values("rival"))
    player = Case(When(seat="seat_0", then=agent), default=Coalesce(rival, agent))
    last = Exchange.objects.aggregate(last=Max("id"))["last"] or 0
    for first in range(0, last + 1, ROWS_AT_ONCE):
        rows = Exchange.objects.filter(id__gte=first, id__lt=first + ROWS_AT_ONCE, agent=None)
        rows.filter(run__lease_until=None).order_by().update(agent=player)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('runs', '0016_exchange_agent'),
    ]

    operations = [
        migrations.RunPython(fill_agents, migrations.RunPython.noop),
    ]
