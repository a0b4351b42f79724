import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Calls name the agent that was called. With a million calls PostgreSQL locks the table for some seconds, while it
    builds the two indexes; SQLite reads the whole table once for each of them. The next migration fills the column."""

    dependencies = [
        ('runs', '0015_stop_request'),
    ]

    operations = [
        migrations.AddField(
            model_name='exchange',
            name='agent',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='exchanges', to='runs.agent'),
        ),
        migrations.RemoveIndex(
            model_name='exchange',
            name='ledger',
        ),
        migrations.AddIndex(
            model_name='exchange',
            index=models.Index(fields=['run', 'state', 'created_at', 'agent', 'cost_nano', 'reserved_nano'], name='ledger'),
        ),
    ]
