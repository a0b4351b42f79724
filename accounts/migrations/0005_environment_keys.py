from django.db import migrations


def only_the_first(apps, schema_editor):
    """Organizations made in the browser were given the environment's keys without being asked; the first one is the operator's own."""
    organizations = apps.get_model("accounts", "Organization").objects
    first = organizations.order_by("id").first()
    if first is not None:
        organizations.exclude(pk=first.pk).update(allow_environment_keys=False)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_addresses")]
    operations = [migrations.RunPython(only_the_first, migrations.RunPython.noop)]
