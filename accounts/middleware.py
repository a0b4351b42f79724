"""Which organization a request acts in."""

from __future__ import annotations

from collections.abc import Callable

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from accounts.models import Membership


class OrganizationMiddleware:
    """Sets `request.membership` and `request.organization` for a signed-in person, None otherwise.

    A person without a membership has no business on any page but the sign-in.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.membership = request.organization = None
        if request.user.is_authenticated:
            membership = (
                Membership.objects.select_related("organization").filter(user=request.user).order_by("id").first()
            )
            if membership is None:
                raise PermissionDenied("You are not a member of any organization. Ask an owner to invite you.")
            request.membership = membership
            request.organization = membership.organization
        return self.get_response(request)
