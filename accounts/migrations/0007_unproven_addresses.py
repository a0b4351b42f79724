from django.db import migrations
from django.db.models import F
from django.db.models.functions import Lower


def doubt_addresses(apps, schema_editor):
    """No address counts as verified of which it is not known that its owner proved it.

    So far the address of an invitation was, though the inviter saw the link, and nothing tells such an address from one
    that was confirmed. Nobody is locked out by that: logging in and resetting a password need no verified address. Only
    accounts without a password were made by the identity provider, which vouched for the address.
    """
    EmailAddress = apps.get_model("account", "EmailAddress")
    SocialAccount = apps.get_model("socialaccount", "SocialAccount")
    vouched = SocialAccount.objects.filter(user__password__startswith="!").values("user_id")
    EmailAddress.objects.filter(verified=True).exclude(user_id__in=vouched).update(verified=False)
    # The one that stands in the account is the primary one; another is one that somebody wants to change to.
    present = EmailAddress.objects.annotate(present=Lower("user__email"))
    present.exclude(email=F("present")).update(primary=False)
    for address in present.filter(email=F("present"), primary=False):
        address.primary = True
        address.save(update_fields=["primary"])


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_proof_of_addresses"),
        ("account", "0009_emailaddress_unique_primary_email"),
        ("socialaccount", "0006_alter_socialaccount_extra_data"),
    ]

    operations = [migrations.RunPython(doubt_addresses, migrations.RunPython.noop)]
