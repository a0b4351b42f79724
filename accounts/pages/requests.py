"""The request that a view gets. For type checkers only: the attributes are set by middleware."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from accounts.models import Membership, Organization, User


class SiteRequest(HttpRequest):
    """A request of anybody: without a membership both are None, and `memberships` is empty.

    payer: by whom its processor seconds are counted; None if nobody is known
    """

    membership: Membership | None
    organization: Organization | None
    memberships: list[Membership]
    payer: str | None


class MemberRequest(HttpRequest):
    """A request of a signed-in member; `memberships` are all of the person's, by name."""

    user: User
    membership: Membership
    organization: Organization
    memberships: list[Membership]
    htmx: HtmxDetails
