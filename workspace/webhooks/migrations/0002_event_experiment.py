import json

import django.db.models.deletion
from django.db import migrations, models


def name_experiments(apps, schema_editor):
    """Say what stored events are about, so that they are removed with it; events about what is gone are removed now."""
    Event = apps.get_model("webhooks", "Event")
    Experiment = apps.get_model("runs", "Experiment")
    Run = apps.get_model("runs", "Run")
    for event in Event.objects.iterator():
        data = json.loads(event.body)["data"]
        about = data | data.get("budget", {})
        if "experiment" in about:
            pk = about["experiment"]["id"]
        elif "run" in about:
            pk = Run.objects.filter(pk=about["run"]["id"]).values_list("experiment", flat=True).first()
        else:
            continue
        if Experiment.objects.filter(pk=pk).exists():
            Event.objects.filter(pk=event.pk).update(experiment=pk)
        else:
            event.delete()


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0001_squashed_0026_indexes_of_boards"),
        ("webhooks", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            "event",
            "experiment",
            models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="runs.experiment"
            ),
        ),
        migrations.AddField(
            "webhook",
            "form",
            models.CharField(
                choices=[
                    ("event", "The event as JSON"),
                    ("text", "A sentence for Slack and the like"),
                    ("content", "A sentence for Discord"),
                ],
                db_default="event",
                default="event",
                max_length=7,
            ),
        ),
        migrations.RunPython(name_experiments, migrations.RunPython.noop),
    ]
