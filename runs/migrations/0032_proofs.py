import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
from django.db import migrations, models

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

    # The rows are filled in transactions of their own, so no table is locked meanwhile.
    atomic = False

    dependencies = [
        ('runs', '0031_thinking_nano'),
    ]

    operations = [
        migrations.CreateModel(
            name='Proof',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('done', models.PositiveIntegerField(db_default=0, default=0)),
                ('total', models.PositiveIntegerField(db_default=0, default=0)),
                ('fence', models.PositiveBigIntegerField(db_default=0, default=0)),
                ('claim_until', models.DateTimeField(null=True)),
                ('tries', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('asked_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), default=django.utils.timezone.now)),
                ('begun_at', models.DateTimeField(null=True)),
                ('state', models.CharField(choices=[('searching', 'Searching'), ('scoring', 'Scoring'), ('proven', 'Proven'), ('given_up', 'Given up')], default='searching', max_length=9)),
                ('attempts', models.PositiveSmallIntegerField(default=1)),
                ('problem', models.TextField(blank=True, default='')),
                ('instance', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='proof', to='runs.instance')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state__in', ('searching', 'scoring'))), fields=['asked_at', 'id'], name='proofs_unsettled')],
            },
        ),
        migrations.RunPython(search_all, migrations.RunPython.noop),
    ]
