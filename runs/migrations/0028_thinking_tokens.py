from django.db import migrations, models

from infrastructure.upgrades.columns import AddColumn


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0027_learned_and_conditions'),
    ]

    operations = [
        AddColumn(
            model_name='exchange',
            name='reasoning_tokens',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        AddColumn(
            model_name='period',
            name='reasoning_tokens',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        AddColumn(
            model_name='run',
            name='reasoning_tokens',
            field=models.PositiveBigIntegerField(db_default=0, default=0),
        ),
    ]
