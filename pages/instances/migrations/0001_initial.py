import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from infrastructure.upgrades.first_tables import FirstTables


class Migration(FirstTables):

    initial = True

    dependencies = [
        ('runs', '0001_squashed_0033_search_proofs'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='BaselineScore',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('recipe', models.CharField(max_length=64)),
                ('baseline', models.CharField(max_length=60)),
                ('version', models.CharField(max_length=20)),
                ('score', models.FloatField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('recipe', 'baseline', 'version'), name='one_score_per_game')],
            },
        ),
        migrations.CreateModel(
            name='Measurement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('done', models.PositiveIntegerField(db_default=0, default=0)),
                ('total', models.PositiveIntegerField(db_default=0, default=0)),
                ('fence', models.PositiveBigIntegerField(db_default=0, default=0)),
                ('claim_until', models.DateTimeField(null=True)),
                ('tries', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('asked_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), default=django.utils.timezone.now)),
                ('begun_at', models.DateTimeField(null=True)),
                ('measured', models.JSONField()),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('done', 'Done'), ('cancelled', 'Cancelled'), ('failed', 'Failed')], default='waiting', max_length=9)),
                ('stage', models.CharField(blank=True, default='', max_length=100)),
                ('problem', models.TextField(blank=True, default='')),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('design', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='measurement', to='runs.design')),
            ],
            options={
                'abstract': False,
            },
        ),
    ]
