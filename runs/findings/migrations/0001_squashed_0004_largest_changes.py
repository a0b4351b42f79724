import django.db.models.deletion
from django.db import migrations, models

from infrastructure.upgrades.first_tables import FirstTables


class Migration(FirstTables):

    replaces = [
        ('findings', '0001_initial'),
        ('findings', '0002_tries'),
        ('findings', '0001_squashed_0002_tries'),
        ('findings', '0003_inapplicable_rules'),
        ('findings', '0004_largest_changes'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_endpoint_headers'),
        ('runs', '0001_squashed_0033_search_proofs'),
    ]

    operations = [
        migrations.CreateModel(
            name='RunFindings',
            fields=[
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='findings_computed', serialize=False, to='runs.run')),
                ('rules_version', models.PositiveIntegerField(default=0)),
                ('claimed_until', models.DateTimeField(null=True)),
                ('computed_at', models.DateTimeField(null=True)),
                ('error', models.TextField(blank=True, default='')),
                ('tries', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('inapplicable', models.TextField(blank=True, db_default='', default='')),
                ('changes', models.JSONField(db_default=[], default=list)),
            ],
        ),
        migrations.CreateModel(
            name='Finding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rule', models.CharField(max_length=40)),
                ('period', models.PositiveSmallIntegerField(null=True)),
                ('seat', models.CharField(blank=True, default='', max_length=10)),
                ('value', models.FloatField(null=True)),
                ('sentence', models.TextField()),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='findings', to='accounts.organization')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='findings', to='runs.run')),
            ],
            options={
                'ordering': ['id'],
                'indexes': [models.Index(fields=['organization', 'rule', 'run'], name='finding_by_rule')],
            },
        ),
    ]
