from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_squashed_0011_endpoint_headers")]

    operations = [
        migrations.AddField("user", "is_operator", models.BooleanField(db_default=False, default=False, editable=False))
    ]
