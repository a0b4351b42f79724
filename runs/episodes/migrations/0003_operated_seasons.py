from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("episodes", "0001_squashed_0002_entries_outlive_organizations")]

    operations = [
        migrations.AddField(
            "entry", "is_out_of_competition", models.BooleanField(db_default=False, default=False)
        ),
        migrations.AddField("season", "reveals_at", models.DateTimeField(null=True)),
        # Earlier seasons are revealed at their end.
        migrations.RunSQL("UPDATE episodes_season SET reveals_at = closes_at", migrations.RunSQL.noop),
        migrations.AlterField("season", "reveals_at", models.DateTimeField()),
    ]
