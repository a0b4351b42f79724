from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0001_squashed_0033_search_proofs")]

    operations = [
        migrations.AddField(
            model_name="run", name="repeat", field=models.PositiveSmallIntegerField(default=0, db_default=0)
        )
    ]
