from django.db import migrations
from django.db.models.functions import Lower


def keep_addresses(apps, schema_editor):
    """The address of every account that exists counts as verified: it was given by whoever made the account.

    Without a row, the library that changes addresses would drop the old one before the new one is verified.
    """
    User = apps.get_model("accounts", "User")
    EmailAddress = apps.get_model("account", "EmailAddress")
    taken = set(EmailAddress.objects.values_list(Lower("email"), flat=True))
    known = set(EmailAddress.objects.values_list("user_id", flat=True))
    for user in User.objects.exclude(email="").order_by("id"):
        email = user.email.lower()
        if user.pk not in known and email not in taken:
            EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
            taken.add(email)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_organizations_and_audit"),
        ("account", "0009_emailaddress_unique_primary_email"),
    ]

    operations = [migrations.RunPython(keep_addresses, migrations.RunPython.noop)]
