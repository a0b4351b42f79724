import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from infrastructure.upgrades.first_tables import FirstTables


class Migration(FirstTables):

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_endpoint_headers'),
        ('runs', '0001_squashed_0033_search_proofs'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Watch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('spec', models.JSONField()),
                ('interval', models.CharField(choices=[('month', 'Every month'), ('week', 'Every week')], default='month', max_length=5)),
                ('budget_nano', models.BigIntegerField(null=True)),
                ('baseline', models.PositiveSmallIntegerField(default=1)),
                ('state', models.CharField(choices=[('active', 'Active'), ('paused', 'Paused'), ('ended', 'Ended')], default='active', max_length=6)),
                ('reason', models.TextField(blank=True, default='')),
                ('due_at', models.DateTimeField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='watches', to='runs.agent')),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='watches', to='accounts.organization')),
            ],
            options={
                'ordering': ['id'],
                'indexes': [models.Index(condition=models.Q(('state', 'active')), fields=['due_at'], name='watch_due')],
            },
        ),
        migrations.CreateModel(
            name='Round',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('baseline', models.PositiveSmallIntegerField()),
                ('in_baseline', models.BooleanField()),
                ('state', models.CharField(choices=[('playing', 'Playing'), ('ended', 'Ended'), ('refused', 'Not launched')], default='playing', max_length=7)),
                ('facts', models.JSONField(default=dict)),
                ('n', models.PositiveIntegerField(null=True)),
                ('difference', models.FloatField(null=True)),
                ('p', models.FloatField(null=True)),
                ('level', models.FloatField(null=True)),
                ('can_tell', models.BooleanField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('experiment', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='round', to='runs.experiment')),
                ('watch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rounds', to='drift.watch')),
            ],
            options={
                'ordering': ['number'],
                'indexes': [models.Index(condition=models.Q(('state', 'playing')), fields=['state'], name='round_playing')],
                'constraints': [models.UniqueConstraint(fields=('watch', 'number'), name='one_round_per_number')],
            },
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('score', 'Score'), ('model', 'Answering model'), ('tier', 'Service tier'), ('upstream', 'Upstream'), ('refused', 'Round not launched'), ('stopped', 'Watch stopped')], max_length=8)),
                ('sentence', models.TextField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('seen_at', models.DateTimeField(null=True)),
                ('seen_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('round', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='drift.round')),
                ('watch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='drift.watch')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('seen_at', None)), fields=['watch'], name='notice_open')],
            },
        ),
    ]
