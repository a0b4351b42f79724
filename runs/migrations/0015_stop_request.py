from django.db import migrations, models


class Migration(migrations.Migration):
    """The field has a new name in Python. The column keeps its name, so the database is not touched."""

    dependencies = [("runs", "0014_models_of_other_packages")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("run", "wish", "stop_request"),
                migrations.AlterField(
                    "run",
                    "stop_request",
                    models.CharField(
                        blank=True,
                        choices=[("", "None"), ("pause", "Pause"), ("cancel", "Cancel")],
                        db_column="wish",
                        default="",
                        max_length=6,
                    ),
                ),
            ]
        )
    ]
