import django.utils.timezone
from django.db import migrations, models


def forget_times_nobody_knew(apps, schema_editor):
    """Imported runs were given 0 s and the moment of their import, since times were not read from logs."""
    periods = apps.get_model("runs", "Period").objects
    periods.filter(run__imported=True, seconds=0).update(seconds=None)
    apps.get_model("runs", "Run").objects.filter(imported=True, started_at=None).update(ended_at=None)


def claim_them_again(apps, schema_editor):
    periods = apps.get_model("runs", "Period").objects
    periods.filter(seconds=None).update(seconds=0)


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0009_imports_known_by_reading'),
    ]

    operations = [
        migrations.AlterField(
            model_name='period',
            name='seconds',
            field=models.FloatField(default=0, null=True),
        ),
        migrations.AlterField(
            model_name='period',
            name='created_at',
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.RunPython(forget_times_nobody_knew, claim_them_again),
    ]
