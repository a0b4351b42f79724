from django.db import migrations, models

KINDS = [
    ("experiment.finished", "Experiment finished"),
    ("run.finished", "Run finished"),
    ("run.failed", "Run failed"),
    ("run.paused", "Run paused"),
    ("budget.alert", "Budget alert"),
    ("watch.noticed", "Drift noticed"),
    ("ping", "Test"),
]


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0002_event_experiment")]

    operations = [
        migrations.AlterField(
            model_name="event",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=20),
        ),
    ]
