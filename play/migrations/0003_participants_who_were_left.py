from django.db import migrations, models


def note_who_was_left(apps, schema_editor):
    """Of two participants in a game that was given up, the one who did not do so."""
    Participant = apps.get_model("play", "Participant")
    resigned = Participant.objects.exclude(resigned_at=None).values("seat__episode")
    Participant.objects.filter(resigned_at=None, seat__episode__in=resigned).update(was_left=True)


class Migration(migrations.Migration):
    dependencies = [
        ("play", "0002_participants_who_resigned"),
    ]

    operations = [
        migrations.AddField(
            model_name="participant",
            name="was_left",
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(note_who_was_left, migrations.RunPython.noop),
        migrations.RemoveField(
            model_name="participant",
            name="resigned_at",
        ),
    ]
