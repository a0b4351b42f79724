"""Site operators, who open, close and reveal the seasons of the whole site."""

from accounts.models import Action, User
from accounts.services.audit import audit_record
from infrastructure.transactions import write_transaction


def operator_set(*, user: User, is_operator: bool) -> bool:
    """Make a person a site operator, or end that. Returns False if nothing changed.

    No page and no operation of the API calls this. The audit log of each of the person's organizations has an entry,
    because its entries in seasons no longer compete.
    """
    action = Action.OPERATOR_ADDED if is_operator else Action.OPERATOR_REMOVED
    with write_transaction():
        row = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if row.is_operator == is_operator:
            return False
        row.is_operator = user.is_operator = is_operator
        row.save(update_fields=["is_operator"])
        for membership in row.memberships.select_related("organization"):
            audit_record(organization=membership.organization, actor=None, action=action, subject=row.shown_name)
    return True
