from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("play", "0001_squashed_0004_typed_labels")]

    operations = [
        migrations.AddField("study", "shows_result", models.BooleanField(db_default=False, default=False)),
    ]
