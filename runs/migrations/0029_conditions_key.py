from django.db import migrations, models

from runs.conditions import conditions_key
from runs.dropped_efforts import mark_dropped_efforts


def fill_keys(apps, schema_editor):
    runs = apps.get_model("runs", "Run")
    for run in runs.objects.exclude(conditions={}).only("conditions").iterator():
        runs.objects.filter(pk=run.pk).update(conditions_key=conditions_key(run.conditions))
    mark_dropped_efforts(runs.objects.all(), apps.get_model("runs", "Exchange").objects.all())


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0028_thinking_tokens'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='conditions_key',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=200),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(
                fields=['organization', 'state', 'deleted_at', 'agent', 'conditions_key'], name='runs_by_conditions'
            ),
        ),
        migrations.RunPython(fill_keys, migrations.RunPython.noop),
    ]
