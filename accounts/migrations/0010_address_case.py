from django.db import migrations

from accounts.email_addresses import ascii_lower


def fold_addresses(apps, schema_editor):
    """Store addresses in the form in which they are looked up.

    Two accounts may differ in nothing but the case of their address. Then the older one is found by it, as before, and the
    other keeps its spelling: it is found by its user name.
    """
    User = apps.get_model("accounts", "User")
    addresses = dict(User.objects.order_by("id").values_list("pk", "email"))
    taken = set(addresses.values())
    for pk, address in addresses.items():
        folded = ascii_lower(address)
        if folded != address and folded not in taken:
            taken.add(folded)
            User.objects.filter(pk=pk).update(email=folded)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_squashed_0009_home_visits")]

    operations = [migrations.RunPython(fold_addresses, migrations.RunPython.noop)]
