from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0002_money")]

    operations = [
        migrations.AddIndex(
            model_name="exchange",
            index=models.Index(
                fields=["run", "state", "created_at", "seat", "cost_nano", "reserved_nano"], name="ledger"
            ),
        ),
    ]
