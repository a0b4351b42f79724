from django.db import migrations


def rename(old, new):
    """A step that gives saved answers of a kind its new name."""

    def step(apps, schema_editor):
        apps.get_model("analysis", "Leaderboard")._base_manager.filter(kind=old).update(kind=new)

    return step


class Migration(migrations.Migration):
    dependencies = [("analysis", "0004_outside_columns")]

    operations = [migrations.RunPython(rename("mechanisms", "behaviour"), rename("behaviour", "mechanisms"))]
