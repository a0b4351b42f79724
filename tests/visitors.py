"""Six kinds of visitors, as the tables of addresses name them."""

from django.test import Client

ROLES = ("anonymous", "viewer", "editor", "owner", "foreign owner", "removed member")
PASSWORD = "correct horse battery"


def signed_in(user):
    client = Client()
    client.force_login(user)
    return client


def everybody(organization, owner, mark=""):
    """A client for each role; `owner` is the organization's owner as a user, `mark` is in the names of other members."""
    from accounts.models import Membership, User
    from accounts.services.organizations import member_remove, organization_create

    def join(name, role):
        user = User.objects.create_user(name, f"{name}@example.org", PASSWORD)
        return Membership.objects.create(organization=organization, user=user, role=role)

    removed = join("rex", "owner")
    mallory = User.objects.create_user("mallory", "mallory@example.org", PASSWORD)
    organization_create(name="Other Lab", owner=mallory)
    clients = {
        "anonymous": Client(),
        "viewer": signed_in(join(f"vera{mark}", "viewer").user),
        "editor": signed_in(join(f"edda{mark}", "editor").user),
        "owner": signed_in(owner),
        "foreign owner": signed_in(mallory),
        "removed member": signed_in(removed.user),
    }
    member_remove(actor=owner.memberships.get(organization=organization), membership=removed)
    return clients
