from collections import Counter

from django.db import migrations, models

from agents.llm import Usage
from agents.prices import half_nano
from infrastructure.transactions import update_many, write_transaction
from infrastructure.upgrades.columns import AddColumn
from runs.models import Agent
from runs.models.records import ANSWERED

PRICES = ("input_price", "cached_price", "cache_write_price", "output_price", "long_input_prices")


def book_thinking(runs, exchanges, periods, agents):
    """Fill `thinking_nano` of calls from before it, run by run, and so of their periods and runs.

    A call whose booked cost does not follow from its agent's prices stays at 0: the prices have changed since.
    """
    prices = {row.pop("pk"): Agent(**row).prices for row in agents.values("pk", *PRICES)}
    for run in runs.filter(reasoning_tokens__gt=0, imported=False).values_list("pk", flat=True):
        rows, by_period = [], Counter()
        found = exchanges.filter(run=run, reasoning_tokens__gt=0, cost_nano__gt=0).order_by("id")
        columns = ("pk", "period_index", "state", "agent", "cost_nano", "batch", "reply")
        for pk, index, state, agent, cost, batch, reply in found.values_list(*columns).iterator(chunk_size=200):
            nano = _thinking_nano(prices.get(agent), Usage(**reply["usage"]), cost, in_batch=batch is not None)
            rows.append([nano, pk])
            by_period[index] += nano if state in ANSWERED else 0
        with write_transaction():
            update_many(exchanges.model, "thinking_nano = %s", rows)
            for index, nano in by_period.items():
                periods.filter(run=run, index=index).update(thinking_nano=nano)
            runs.filter(pk=run).update(thinking_nano=by_period.total())


def _thinking_nano(prices, usage, cost, *, in_batch):
    if prices is None:
        return 0
    whole, thinking = prices.nano(usage), prices.thinking_nano(usage)
    if in_batch:
        whole, thinking = half_nano(whole), half_nano(thinking)
    return thinking if whole == cost else 0


def book_all(apps, schema_editor):
    names = ("Run", "Exchange", "Period", "Agent")
    book_thinking(*(apps.get_model("runs", name).objects.all() for name in names))


class Migration(migrations.Migration):
    # Every step is a transaction of its own, so no table is locked while the rows are filled.
    atomic = False

    dependencies = [
        ('runs', '0030_batches'),
    ]

    operations = [
        AddColumn(
            model_name='exchange',
            name='thinking_nano',
            field=models.BigIntegerField(db_default=0, default=0),
        ),
        AddColumn(
            model_name='period',
            name='thinking_nano',
            field=models.BigIntegerField(db_default=0, default=0),
        ),
        AddColumn(
            model_name='run',
            name='thinking_nano',
            field=models.BigIntegerField(db_default=0, default=0),
        ),
        migrations.RunPython(book_all, migrations.RunPython.noop),
    ]
