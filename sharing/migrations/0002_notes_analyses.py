"""Links to notes analyses. Stored rows and those that older code writes satisfy the wider constraint."""

import django.db.models.deletion
from django.db import migrations, models


def only(target: str) -> models.Q:
    names = ("leaderboard", "experiment", "run", "notesanalysis")
    return models.Q(*((f"{name}__isnull", name != target) for name in names))


class Migration(migrations.Migration):

    dependencies = [
        ('notes', '0002_paid_calls'),
        ('sharing', '0001_initial'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='sharelink',
            name='a_link_shows_one_thing',
        ),
        migrations.AddField(
            model_name='sharelink',
            name='notesanalysis',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='share_links', to='notes.notesanalysis'),
        ),
        migrations.AddConstraint(
            model_name='sharelink',
            constraint=models.CheckConstraint(condition=only("leaderboard") | only("experiment") | only("run") | only("notesanalysis"), name='a_link_shows_one_thing'),
        ),
    ]
