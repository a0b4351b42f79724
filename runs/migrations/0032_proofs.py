import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0031_thinking_nano'),
    ]

    operations = [
        migrations.CreateModel(
            name='Proof',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('done', models.PositiveIntegerField(db_default=0, default=0)),
                ('total', models.PositiveIntegerField(db_default=0, default=0)),
                ('fence', models.PositiveBigIntegerField(db_default=0, default=0)),
                ('claim_until', models.DateTimeField(null=True)),
                ('tries', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('asked_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), default=django.utils.timezone.now)),
                ('begun_at', models.DateTimeField(null=True)),
                ('state', models.CharField(choices=[('searching', 'Searching'), ('scoring', 'Scoring'), ('proven', 'Proven'), ('given_up', 'Given up')], default='searching', max_length=9)),
                ('attempts', models.PositiveSmallIntegerField(default=1)),
                ('problem', models.TextField(blank=True, default='')),
                ('instance', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='proof', to='runs.instance')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state__in', ('searching', 'scoring'))), fields=['asked_at', 'id'], name='proofs_unsettled')],
            },
        ),
    ]
