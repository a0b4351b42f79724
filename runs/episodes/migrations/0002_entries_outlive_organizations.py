import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import runs.episodes.models


def name_organizations(apps, schema_editor):
    """Store what an entry keeps when its organization or the person who opened it is deleted."""
    Entry = apps.get_model("episodes", "Entry")
    Episode = apps.get_model("episodes", "Episode")
    for entry in Entry.objects.select_related("organization"):
        entry.organization_key, entry.organization_name = entry.organization_id, entry.organization.name
        entry.opened_by_id = Episode.objects.filter(entry=entry).values_list("opened_by", flat=True).first()
        entry.save()


class Migration(migrations.Migration):
    dependencies = [
        ("episodes", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            "entry", "organization_key", models.PositiveBigIntegerField(default=0), preserve_default=False
        ),
        migrations.AddField(
            "entry", "organization_name", models.CharField(default="", max_length=100), preserve_default=False
        ),
        migrations.AddField(
            "entry",
            "opened_by",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(name_organizations, migrations.RunPython.noop),
        migrations.AlterField(
            "entry",
            "organization",
            models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="accounts.organization"
            ),
        ),
        migrations.AlterField(
            "episode",
            "organization",
            models.ForeignKey(
                null=True,
                on_delete=runs.episodes.models.delete_practice,
                related_name="episodes",
                to="accounts.organization",
            ),
        ),
        migrations.RemoveConstraint("entry", "entries_are_counted"),
        migrations.AddConstraint(
            "entry",
            models.UniqueConstraint(fields=("season", "organization_key", "number"), name="entries_are_counted"),
        ),
        migrations.AddField("seat", "size", models.PositiveIntegerField(db_default=0, default=0)),
        migrations.AddField("seat", "period_size", models.PositiveIntegerField(db_default=0, default=0)),
        migrations.AlterField("episode", "rules", models.CharField(default="2026-2", max_length=20)),
    ]
