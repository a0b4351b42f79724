from django.db import migrations

RENAMED = "UPDATE analysis_leaderboard SET kind = '{}' WHERE kind = '{}'"
"""Gives saved answers of a kind its new name. SQL, because Django renders all models for Python."""


class Migration(migrations.Migration):
    dependencies = [("analysis", "0004_outside_columns")]

    operations = [
        migrations.RunSQL(RENAMED.format("behaviour", "mechanisms"), RENAMED.format("mechanisms", "behaviour"))
    ]
