import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
import infrastructure.fields
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
            name='ImportUpload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('content', models.BinaryField(null=True)),
                ('preview', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('state', models.CharField(choices=[('reading', 'Reading'), ('read', 'Read'), ('storing', 'Storing'), ('stored', 'Stored'), ('refused', 'Refused')], db_default='read', default='reading', max_length=8)),
                ('done', models.PositiveIntegerField(db_default=0, default=0)),
                ('total', models.PositiveIntegerField(db_default=0, default=0)),
                ('problem', models.TextField(blank=True, db_default='', default='')),
                ('experiment_name', models.CharField(blank=True, db_default='', default='', max_length=200)),
                ('fence', models.PositiveBigIntegerField(db_default=0, default=0)),
                ('claim_until', models.DateTimeField(null=True)),
                ('tries', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('asked_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), default=django.utils.timezone.now)),
                ('begun_at', models.DateTimeField(null=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('experiment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='runs.experiment')),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='import_uploads', to='accounts.organization')),
            ],
            options={
                'db_table': 'runs_importupload',
            },
        ),
        migrations.CreateModel(
            name='ImportArchive',
            fields=[
                ('upload', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='archive', serialize=False, to='transfer.importupload')),
                ('content', models.BinaryField()),
            ],
            options={
                'db_table': 'runs_importarchive',
            },
        ),
        migrations.CreateModel(
            name='ImportedRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('archive', models.CharField(max_length=200)),
                ('folder', models.CharField(max_length=500)),
                ('content_hash', models.CharField(max_length=64)),
                ('recorded_score', models.FloatField(null=True)),
                ('differences', models.JSONField(default=list)),
                ('facts', models.JSONField(default=dict)),
                ('prompts', infrastructure.fields.CompressedJSONField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imported_runs', to='accounts.organization')),
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='source', to='runs.run')),
            ],
            options={
                'db_table': 'runs_importedrun',
                'constraints': [models.UniqueConstraint(fields=('organization', 'content_hash'), name='each_log_imported_once')],
            },
        ),
    ]
