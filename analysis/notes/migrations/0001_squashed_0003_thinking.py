import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
import infrastructure.fields
from django.conf import settings
from django.db import migrations, models

from infrastructure.upgrades.first_tables import FirstTables


class Migration(FirstTables):

    replaces = [
        ('notes', '0001_initial'),
        ('notes', '0002_paid_calls'),
        ('notes', '0001_squashed_0002_paid_calls'),
        ('notes', '0003_thinking'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_endpoint_headers'),
        ('runs', '0001_squashed_0033_search_proofs'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='NotesAnalysis',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('done', models.PositiveIntegerField(db_default=0, default=0)),
                ('total', models.PositiveIntegerField(db_default=0, default=0)),
                ('fence', models.PositiveBigIntegerField(db_default=0, default=0)),
                ('claim_until', models.DateTimeField(null=True)),
                ('tries', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('asked_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), default=django.utils.timezone.now)),
                ('begun_at', models.DateTimeField(null=True)),
                ('name', models.CharField(max_length=200)),
                ('filter', models.JSONField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('done', 'Done'), ('cancelled', 'Cancelled'), ('failed', 'Failed')], default='waiting', max_length=9)),
                ('stage', models.CharField(blank=True, default='', max_length=60)),
                ('problem', models.TextField(blank=True, default='')),
                ('result', infrastructure.fields.CompressedJSONField(null=True)),
                ('model', models.CharField(blank=True, default='', max_length=200)),
                ('price_nano', models.BigIntegerField(null=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('endpoint', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.endpoint')),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notes_analyses', to='accounts.organization')),
                ('labels', models.JSONField(default=dict)),
                ('labels_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='runs.agent')),
            ],
            options={
                'indexes': [models.Index(fields=['organization', '-id'], name='analyses_newest_first')],
            },
        ),
        migrations.CreateModel(
            name='SearchEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('environment', models.CharField(max_length=40)),
                ('period_index', models.PositiveSmallIntegerField()),
                ('seat', models.CharField(max_length=10)),
                ('kind', models.CharField(choices=[('note', 'Notes'), ('reply', 'Transcript'), ('think', 'Thinking')], max_length=5)),
                ('source_id', models.BigIntegerField()),
                ('words', models.TextField()),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='runs.agent')),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.organization')),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='runs.run')),
            ],
            options={
                'indexes': [models.Index(fields=['run', 'period_index'], name='search_entry_by_period')],
            },
        ),
        migrations.CreateModel(
            name='VectorBatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digests', models.BinaryField()),
                ('vectors', models.BinaryField()),
                ('analysis', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='batches', to='notes.notesanalysis')),
            ],
        ),
        migrations.CreateModel(
            name='IndexedRun',
            fields=[
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='runs.run')),
                ('periods', models.PositiveSmallIntegerField(default=0)),
                ('queries', models.PositiveIntegerField(default=0)),
                ('is_visited', models.BooleanField(default=False)),
                ('is_whole', models.BooleanField(default=False)),
                ('organization', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.organization')),
            ],
            options={
                'indexes': [models.Index(fields=['organization', 'is_visited'], name='indexed_by_organization'), models.Index(condition=models.Q(('is_whole', False)), fields=['run'], name='indexed_in_part')],
            },
        ),
    ]
