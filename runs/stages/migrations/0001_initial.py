import django.db.models.deletion
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
            name='StagedComparison',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sizes', models.JSONField()),
                ('levels', models.JSONField()),
                ('seeds', models.JSONField()),
                ('cells', models.PositiveSmallIntegerField()),
                ('planned', models.FloatField(null=True)),
                ('stage', models.PositiveSmallIntegerField(default=1)),
                ('state', models.CharField(choices=[('playing', 'Playing'), ('different', 'Difference found'), ('futile', 'Stopped without a verdict'), ('undecided', 'No difference found'), ('continued', 'Continued by a person'), ('withdrawn', 'Cancelled by a person')], default='playing', max_length=10)),
                ('ended_at', models.DateTimeField(null=True)),
                ('saved_runs', models.PositiveIntegerField(default=0)),
                ('saved_nano', models.BigIntegerField(null=True)),
                ('ended_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('experiment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='staged', to='runs.experiment')),
                ('first', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='runs.agent')),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='runs.agent')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state', 'playing')), fields=['state'], name='comparison_playing')],
            },
        ),
        migrations.CreateModel(
            name='StageLook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('stage', models.PositiveSmallIntegerField()),
                ('n', models.PositiveIntegerField()),
                ('difference', models.FloatField(null=True)),
                ('p', models.FloatField(null=True)),
                ('exact', models.BooleanField(default=True)),
                ('boundary', models.FloatField()),
                ('conditional_power', models.FloatField(null=True)),
                ('computed_at', models.DateTimeField(auto_now_add=True)),
                ('comparison', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='looks', to='stages.stagedcomparison')),
            ],
            options={
                'ordering': ['stage'],
                'constraints': [models.UniqueConstraint(fields=('comparison', 'stage'), name='one_look_per_stage')],
            },
        ),
    ]
