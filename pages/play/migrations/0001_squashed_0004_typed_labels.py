import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from infrastructure.upgrades.first_tables import FirstTables


class Migration(FirstTables):

    replaces = [
        ('play', '0001_initial'),
        ('play', '0002_participants_who_resigned'),
        ('play', '0003_participants_who_were_left'),
        ('play', '0001_squashed_0003_participants_who_were_left'),
        ('play', '0004_typed_labels'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_endpoint_headers'),
        ('episodes', '0001_squashed_0002_entries_outlive_organizations'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Draft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period', models.PositiveSmallIntegerField()),
                ('values', models.JSONField(default=dict)),
                ('notes', models.TextField(blank=True)),
                ('saved_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('seat', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='draft', to='episodes.seat')),
            ],
        ),
        migrations.CreateModel(
            name='Study',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=50)),
                ('title', models.CharField(max_length=100)),
                ('environment', models.CharField(max_length=40)),
                ('difficulty', models.CharField(max_length=60)),
                ('variant', models.CharField(default='main', max_length=60)),
                ('seeds', models.CharField(blank=True, max_length=200)),
                ('periods', models.PositiveSmallIntegerField(null=True)),
                ('rival', models.CharField(blank=True, max_length=200)),
                ('practice', models.PositiveSmallIntegerField(default=2)),
                ('consent', models.TextField()),
                ('fee', models.DecimalField(decimal_places=2, default=0, max_digits=8)),
                ('rate', models.DecimalField(decimal_places=4, default=0, max_digits=8)),
                ('currency', models.CharField(default='USD', max_length=3)),
                ('shows_payoff', models.BooleanField(default=False)),
                ('completion_url', models.CharField(blank=True, max_length=500)),
                ('completion_code', models.CharField(blank=True, max_length=100)),
                ('most_participants', models.PositiveIntegerField(default=100)),
                ('open_hash', models.CharField(blank=True, editable=False, max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('closes_at', models.DateTimeField(null=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='studies', to='accounts.organization')),
            ],
            options={
                'verbose_name_plural': 'studies',
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(fields=('organization', 'name'), name='one_study_per_name'), models.UniqueConstraint(condition=models.Q(('open_hash', ''), _negated=True), fields=('open_hash',), name='one_study_per_open_link')],
            },
        ),
        migrations.CreateModel(
            name='Participant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('secret_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('label', models.CharField(blank=True, max_length=100)),
                ('consent', models.TextField(blank=True)),
                ('consented_at', models.DateTimeField(null=True)),
                ('practice', models.JSONField(default=list)),
                ('revoked_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('seat', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='participant', to='episodes.seat')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participants', to='play.study')),
                ('was_left', models.BooleanField(default=False)),
                ('label_is_typed', models.BooleanField(default=False)),
            ],
            options={
                'ordering': ['number'],
                'constraints': [models.UniqueConstraint(fields=('study', 'number'), name='participants_are_counted'), models.UniqueConstraint(condition=models.Q(('label', ''), _negated=True), fields=('study', 'label', 'label_is_typed'), name='one_participant_per_label')],
            },
        ),
    ]
