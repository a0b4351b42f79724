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
            name='Comment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period_index', models.PositiveSmallIntegerField(null=True)),
                ('author_name', models.CharField(max_length=320)),
                ('text', models.TextField()),
                ('mentioned', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('edited_at', models.DateTimeField(null=True)),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='accounts.organization')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='runs.run')),
            ],
            options={
                'db_table': 'runs_comment',
                'indexes': [models.Index(fields=['run', 'period_index', 'id'], name='comments_of_a_place')],
            },
        ),
        migrations.CreateModel(
            name='Mention',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('read_at', models.DateTimeField(null=True)),
                ('comment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='discussion.comment')),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.organization')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'db_table': 'runs_mention',
                'indexes': [models.Index(condition=models.Q(('read_at', None)), fields=['user', 'organization'], name='unread_mentions')],
                'constraints': [models.UniqueConstraint(fields=('comment', 'user'), name='mentioned_once')],
            },
        ),
        migrations.CreateModel(
            name='Star',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period_index', models.PositiveSmallIntegerField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stars', to='runs.run')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stars', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'db_table': 'runs_star',
                'constraints': [models.UniqueConstraint(condition=models.Q(('period_index', None)), fields=('user', 'run'), name='run_starred_once'), models.UniqueConstraint(condition=models.Q(('period_index__isnull', False)), fields=('user', 'run', 'period_index'), name='period_starred_once')],
            },
        ),
        migrations.CreateModel(
            name='Tag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40)),
                ('key', models.CharField(editable=False, max_length=120)),
                ('colour', models.PositiveSmallIntegerField(default=1)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tags', to='accounts.organization')),
            ],
            options={
                'db_table': 'runs_tag',
                'ordering': ['key'],
                'constraints': [models.UniqueConstraint(fields=('organization', 'key'), name='one_tag_per_name')],
            },
        ),
        migrations.CreateModel(
            name='Tagging',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period_index', models.PositiveSmallIntegerField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('experiment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='taggings', to='runs.experiment')),
                ('run', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='taggings', to='runs.run')),
                ('tag', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='taggings', to='discussion.tag')),
            ],
            options={
                'db_table': 'runs_tagging',
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('experiment__isnull', False), ('period_index', None), ('run', None)), models.Q(('experiment', None), ('run__isnull', False)), _connector='OR'), name='tagging_of_one_thing'), models.UniqueConstraint(condition=models.Q(('experiment__isnull', False)), fields=('experiment', 'tag'), name='experiment_tagged_once'), models.UniqueConstraint(condition=models.Q(('run__isnull', False), ('period_index', None)), fields=('run', 'tag'), name='run_tagged_once'), models.UniqueConstraint(condition=models.Q(('period_index__isnull', False)), fields=('run', 'period_index', 'tag'), name='period_tagged_once')],
            },
        ),
    ]
