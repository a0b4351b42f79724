import django.db.models.deletion
from django.db import migrations, models

from infrastructure.upgrades.first_tables import FirstTables


class Migration(FirstTables):

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0011_endpoint_headers'),
        ('analysis', '0004_outside_columns'),
        ('runs', '0034_repeats'),
    ]

    operations = [
        migrations.CreateModel(
            name='Gallery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=120)),
                ('slug', models.SlugField(unique=True)),
                ('text', models.TextField(blank=True)),
                ('authors', models.TextField(blank=True)),
                ('publication', models.CharField(blank=True, max_length=200)),
                ('doi', models.CharField(blank=True, max_length=200)),
                ('opened_at', models.DateTimeField(blank=True, null=True)),
                ('organization', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='gallery', to='accounts.organization')),
            ],
            options={
                'ordering': ['title', 'id'],
            },
        ),
        migrations.CreateModel(
            name='GalleryEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField()),
                ('caption', models.CharField(blank=True, max_length=300)),
                ('with_notes', models.BooleanField(default=False)),
                ('position', models.PositiveSmallIntegerField()),
                ('experiment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='runs.experiment')),
                ('gallery', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='gallery.gallery')),
                ('leaderboard', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='analysis.leaderboard')),
                ('run', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='runs.run')),
            ],
            options={
                'ordering': ['position', 'id'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('leaderboard__isnull', False), ('experiment__isnull', True), ('run__isnull', True)), models.Q(('leaderboard__isnull', True), ('experiment__isnull', False), ('run__isnull', True)), models.Q(('leaderboard__isnull', True), ('experiment__isnull', True), ('run__isnull', False)), _connector='OR'), name='an_entry_shows_one_thing'), models.UniqueConstraint(fields=('gallery', 'slug'), name='one_entry_per_address')],
            },
        ),
    ]
