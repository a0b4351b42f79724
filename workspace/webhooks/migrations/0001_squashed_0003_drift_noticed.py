import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models

from infrastructure.upgrades.first_tables import FirstTables


class Migration(FirstTables):

    replaces = [
        ('webhooks', '0001_initial'),
        ('webhooks', '0002_event_experiment'),
        ('webhooks', '0003_drift_noticed'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_endpoint_headers'),
        ('runs', '0001_squashed_0033_search_proofs'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('experiment.finished', 'Experiment finished'), ('run.finished', 'Run finished'), ('run.failed', 'Run failed'), ('run.paused', 'Run paused'), ('budget.alert', 'Budget alert'), ('watch.noticed', 'Drift noticed'), ('ping', 'Test')], max_length=20)),
                ('body', models.TextField()),
                ('created_at', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhook_events', to='accounts.organization')),
                ('experiment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='runs.experiment')),
            ],
            options={
                'db_table': 'runs_event',
            },
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=500)),
                ('events', models.JSONField(default=list)),
                ('sealed_secret', models.BinaryField()),
                ('former_secret', models.BinaryField(default=b'')),
                ('former_until', models.DateTimeField(editable=False, null=True)),
                ('paused_at', models.DateTimeField(null=True)),
                ('off_reason', models.TextField(blank=True, default='')),
                ('failures', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='accounts.organization')),
                ('form', models.CharField(choices=[('event', 'The event as JSON'), ('text', 'A sentence for Slack and the like'), ('content', 'A sentence for Discord')], db_default='event', default='event', max_length=7)),
            ],
            options={
                'db_table': 'runs_webhook',
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('delivered', 'Delivered'), ('failed', 'Failed')], default='waiting', max_length=10)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('attempts_before', models.PositiveIntegerField(default=0)),
                ('due_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('seconds', models.FloatField(null=True)),
                ('answer', models.TextField(blank=True, default='')),
                ('problem', models.TextField(blank=True, default='')),
                ('attempted_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.event')),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.webhook')),
            ],
            options={
                'db_table': 'runs_delivery',
                'indexes': [models.Index(condition=models.Q(('state', 'waiting')), fields=['due_at'], name='delivery_due'), models.Index(fields=['webhook', '-id'], name='delivery_newest_first')],
                'constraints': [models.UniqueConstraint(fields=('webhook', 'event'), name='each_event_once_a_webhook')],
            },
        ),
    ]
