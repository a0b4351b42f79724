import django.db.models.deletion
import django.utils.timezone
import infrastructure.fields
import runs.episodes.models
from django.conf import settings
from django.db import migrations, models

from infrastructure.upgrades.first_tables import FirstTables


class Migration(FirstTables):

    replaces = [
        ('episodes', '0001_initial'),
        ('episodes', '0002_entries_outlive_organizations'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_endpoint_headers'),
        ('runs', '0001_squashed_0033_search_proofs'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Season',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=60, unique=True)),
                ('name', models.CharField(max_length=100)),
                ('secret', models.BinaryField()),
                ('secret_hash', models.CharField(max_length=64)),
                ('environments', models.JSONField()),
                ('difficulties', models.JSONField()),
                ('instances', models.PositiveSmallIntegerField()),
                ('entries', models.PositiveSmallIntegerField(default=3)),
                ('opens_at', models.DateTimeField()),
                ('closes_at', models.DateTimeField()),
                ('revealed_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-opens_at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('agent_name', models.CharField(max_length=200)),
                ('player_class', models.CharField(choices=[('site', 'Played by this site'), ('outside', 'Outside agent'), ('human', 'Person (declared)')], max_length=7)),
                ('episode_count', models.PositiveSmallIntegerField()),
                ('opened_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('agent', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='runs.agent')),
                ('experiment', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='entry', to='runs.experiment')),
                ('organization', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.organization')),
                ('season', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entered', to='episodes.season')),
                ('organization_key', models.PositiveBigIntegerField()),
                ('organization_name', models.CharField(max_length=100)),
                ('opened_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['opened_at', 'id'],
                'constraints': [models.UniqueConstraint(fields=('season', 'organization_key', 'number'), name='entries_are_counted')],
            },
        ),
        migrations.CreateModel(
            name='Episode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('place', models.PositiveSmallIntegerField(default=0)),
                ('environment', models.CharField(max_length=40)),
                ('difficulty', models.CharField(max_length=60)),
                ('harness', models.JSONField()),
                ('protocol', models.PositiveSmallIntegerField(default=1)),
                ('rules', models.CharField(default='2026-2', max_length=20)),
                ('commitment', models.CharField(blank=True, default='', max_length=64)),
                ('reference', infrastructure.fields.CompressedJSONField(null=True)),
                ('ending', models.CharField(blank=True, choices=[('', 'In play'), ('finished', 'Finished'), ('resigned', 'Resigned'), ('expired', 'Time ran out'), ('withdrawn', 'Withdrawn')], default='', max_length=9)),
                ('periods_played', models.PositiveSmallIntegerField(default=0)),
                ('result', models.JSONField(null=True)),
                ('seconds_a_period', models.PositiveIntegerField()),
                ('opened_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('prepared_at', models.DateTimeField(null=True)),
                ('moved_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('due_at', models.DateTimeField()),
                ('period_due_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('entry', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='episodes', to='episodes.entry')),
                ('opened_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organization', models.ForeignKey(null=True, on_delete=runs.episodes.models.delete_practice, related_name='episodes', to='accounts.organization')),
                ('run', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='episode', to='runs.run')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('ending', '')), fields=['period_due_at'], name='episodes_in_play')],
            },
        ),
        migrations.CreateModel(
            name='Seat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=10)),
                ('token_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('period', models.PositiveSmallIntegerField(default=0)),
                ('calls', models.PositiveSmallIntegerField(default=0)),
                ('entries', models.PositiveIntegerField(default=0)),
                ('chain', models.CharField(max_length=64)),
                ('episode', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='episodes.episode')),
                ('size', models.PositiveIntegerField(db_default=0, default=0)),
                ('period_size', models.PositiveIntegerField(db_default=0, default=0)),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(fields=('episode', 'name'), name='each_seat_once')],
            },
        ),
        migrations.CreateModel(
            name='JournalEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('period', models.PositiveSmallIntegerField()),
                ('is_action', models.BooleanField(default=False)),
                ('tool', models.CharField(max_length=100)),
                ('arguments', infrastructure.fields.CompressedJSONField()),
                ('digest', models.CharField(max_length=64)),
                ('chain', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('seat', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='journal', to='episodes.seat')),
            ],
            options={
                'ordering': ['number'],
                'constraints': [models.UniqueConstraint(fields=('seat', 'number'), name='journal_is_counted'), models.UniqueConstraint(fields=('seat', 'digest'), name='each_call_once'), models.UniqueConstraint(condition=models.Q(('is_action', True)), fields=('seat', 'period'), name='one_action_a_period')],
            },
        ),
    ]
