import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from infrastructure.upgrades.first_tables import FirstTables


class Migration(FirstTables):

    replaces = [
        ('sharing', '0001_initial'),
        ('sharing', '0002_notes_analyses'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_endpoint_headers'),
        ('analysis', '0001_squashed_0002_undo_of_deletions'),
        ('notes', '0001_squashed_0003_thinking'),
        ('runs', '0001_squashed_0033_search_proofs'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ShareLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('figure', models.CharField(blank=True, max_length=60)),
                ('token_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('last_four', models.CharField(editable=False, max_length=4)),
                ('label', models.CharField(blank=True, max_length=100)),
                ('with_notes', models.BooleanField(default=False)),
                ('is_public', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('last_seen_at', models.DateTimeField(blank=True, null=True)),
                ('views', models.PositiveBigIntegerField(default=0)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('experiment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='share_links', to='runs.experiment')),
                ('leaderboard', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='share_links', to='analysis.leaderboard')),
                ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='share_links', to='accounts.organization')),
                ('run', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='share_links', to='runs.run')),
                ('notesanalysis', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='share_links', to='notes.notesanalysis')),
            ],
            options={
                'indexes': [models.Index(fields=['organization', '-id'], name='newest_links_first')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('expires_at', None), ('is_public', True)), models.Q(('expires_at__isnull', False), ('is_public', False)), _connector='OR'), name='only_public_links_last'), models.CheckConstraint(condition=models.Q(models.Q(('leaderboard__isnull', False), ('experiment__isnull', True), ('run__isnull', True), ('notesanalysis__isnull', True)), models.Q(('leaderboard__isnull', True), ('experiment__isnull', False), ('run__isnull', True), ('notesanalysis__isnull', True)), models.Q(('leaderboard__isnull', True), ('experiment__isnull', True), ('run__isnull', False), ('notesanalysis__isnull', True)), models.Q(('leaderboard__isnull', True), ('experiment__isnull', True), ('run__isnull', True), ('notesanalysis__isnull', False)), _connector='OR'), name='a_link_shows_one_thing')],
            },
        ),
    ]
