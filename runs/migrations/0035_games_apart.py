from django.db import migrations, models

IS_OF_EPISODES = models.GeneratedField(
    expression=models.ExpressionWrapper(
        models.Q(spec__has_key="practice") | models.Q(spec__has_key="season"), output_field=models.BooleanField()
    ),
    output_field=models.BooleanField(),
    db_persist=True,
)
LAUNCHED = models.Index(
    fields=["organization", "-created_at", "-id"],
    condition=models.Q(is_of_episodes=False),
    name="experiments_launched",
)


class Migration(migrations.Migration):
    dependencies = [("runs", "0034_repeats")]

    operations = [
        migrations.AddField("experiment", "is_of_episodes", IS_OF_EPISODES),
        migrations.AddIndex("experiment", LAUNCHED),
    ]
