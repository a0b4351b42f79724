from django.db import migrations, models


def announce_ends(apps, schema_editor):
    """Earlier seasons are revealed at their end."""
    apps.get_model("episodes", "Season").objects.update(reveals_at=models.F("closes_at"))


class Migration(migrations.Migration):
    dependencies = [("episodes", "0001_squashed_0002_entries_outlive_organizations")]

    operations = [
        migrations.AddField(
            "entry", "is_out_of_competition", models.BooleanField(db_default=False, default=False)
        ),
        migrations.AddField("season", "reveals_at", models.DateTimeField(null=True)),
        migrations.RunPython(announce_ends, migrations.RunPython.noop),
        migrations.AlterField("season", "reveals_at", models.DateTimeField()),
    ]
