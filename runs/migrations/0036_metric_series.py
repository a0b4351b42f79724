import json

import django.db.models.deletion
from django.db import migrations, models

import infrastructure.fields
from infrastructure.fields import compressed

AT_ONCE = 500
BY_PERIOD = "_by_period"
RUNS_OF_AN_ORGANIZATION = models.Index(
    fields=["organization", "state", "deleted_at", "periods", "instance", "agent", "variant", "imported"],
    name="runs_of_an_organization",
)


def fill(apps, schema_editor):
    """Move the metrics with a value for each period out of the rows of runs, and store the best quality of each run.

    By SQL, for which Django renders no models.
    """
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "UPDATE runs_run SET best_quality = (SELECT MAX(quality) FROM runs_period WHERE run_id = runs_run.id)"
        )
        cursor.execute("SELECT id FROM runs_run WHERE metrics IS NOT NULL ORDER BY id")
        ids = [run_id for (run_id,) in cursor.fetchall()]
        for first in range(0, len(ids), AT_ONCE):
            some = ids[first : first + AT_ONCE]
            cursor.execute(
                f"SELECT id, metrics FROM runs_run WHERE id IN ({', '.join(['%s'] * len(some))})",  # noqa: S608
                some,
            )
            moved = [(run_id, *apart(json.loads(metrics))) for run_id, metrics in cursor.fetchall()]
            rows = [(run_id, name, values) for run_id, _, series in moved for name, values in series]
            cursor.executemany('INSERT INTO runs_metricseries (run_id, metric, "values") VALUES (%s, %s, %s)', rows)
            kept = [(json.dumps(metrics), run_id) for run_id, metrics, series in moved if series]
            cursor.executemany("UPDATE runs_run SET metrics = %s WHERE id = %s", kept)


def apart(metrics):
    is_series = {name: value is not None and name.endswith(BY_PERIOD) for name, value in metrics.items()}
    series = [(name, compressed(value)) for name, value in metrics.items() if is_series[name]]
    return {name: value for name, value in metrics.items() if not is_series[name]}, series


class ReplaceIndex(migrations.AddIndex):
    """Add an index in place of that with its name, as one step, for which Django renders half as many models as for two."""

    def state_forwards(self, app_label, state):
        options = state.models[app_label, self.model_name_lower].options
        options["indexes"] = [index for index in options["indexes"] if index.name != self.index.name]
        super().state_forwards(app_label, state)

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        schema_editor.remove_index(from_state.apps.get_model(app_label, self.model_name), self.index)
        super().database_forwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    dependencies = [("runs", "0035_games_apart")]

    operations = [
        migrations.CreateModel(
            name="MetricSeries",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("metric", models.CharField(max_length=60)),
                ("values", infrastructure.fields.CompressedJSONField()),
                (
                    "run",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="series",
                        to="runs.run",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("run", "metric"), name="each_series_once")],
            },
        ),
        migrations.AddField("run", "best_quality", models.FloatField(null=True)),
        ReplaceIndex("run", RUNS_OF_AN_ORGANIZATION),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
