import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from infrastructure.upgrades.first_tables import FirstTables


class Migration(FirstTables):

    replaces = [
        ('analysis', '0001_initial'),
        ('analysis', '0002_undo_of_deletions'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_endpoint_headers'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Leaderboard',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('benchmark', 'Benchmark'), ('litmus', 'Litmus tests')], max_length=10)),
                ('name', models.CharField(max_length=100)),
                ('description', models.TextField(blank=True)),
                ('filters', models.JSONField()),
                ('pin', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('changed_at', models.DateTimeField(auto_now=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='leaderboards', to='accounts.organization')),
                ('deleted_at', models.DateTimeField(db_index=True, editable=False, null=True)),
                ('deleted_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['organization', 'pin'], name='pinned_leaderboards')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('deleted_at', None)), fields=('organization', 'name'), name='one_leaderboard_per_name')],
            },
        ),
    ]
