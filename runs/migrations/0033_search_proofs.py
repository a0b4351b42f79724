from django.db import migrations

from environments.registry import ATTEMPTS, is_final
from infrastructure.transactions import write_transaction

AT_ONCE = 200


def search_proofs(instances, proofs):
    """Have the references computed again that lack their proof, each batch in a transaction of its own."""
    solved = instances.filter(environment__in=ATTEMPTS, reference__isnull=False).order_by("id")
    last = 0
    while rows := list(solved.filter(id__gt=last).values_list("id", "environment", "reference")[:AT_ONCE]):
        unproven = [pk for pk, environment, reference in rows if not is_final(environment, reference)]
        with write_transaction():
            proofs.bulk_create((proofs.model(instance_id=pk) for pk in unproven), ignore_conflicts=True)
        last = rows[-1][0]


def search_all(apps, schema_editor):
    search_proofs(*(apps.get_model("runs", name).objects.all() for name in ("Instance", "Proof")))


class Migration(migrations.Migration):
    # Each batch is a transaction of its own, so no table is locked while the rows are filled. It may be repeated.
    atomic = False

    dependencies = [
        ('runs', '0032_proofs'),
    ]

    operations = [
        migrations.RunPython(search_all, migrations.RunPython.noop),
    ]
