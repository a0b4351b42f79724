"""Which organization a request acts in, and that its answer is private."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from accounts.models import Membership

SESSION_KEY = "organization"
NOWHERE = "You are not a member of any organization. Ask an owner to invite you."


class PrivateAnswers:
    """What a view answers is kept by no browser and no proxy, unless the view says otherwise. Static files are none of it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response


class OrganizationMiddleware:
    """Sets `request.membership`, `request.organization` and `request.memberships` (all of the person's, by name).

    Memberships are read on every request, so that a removed member sees nothing from the next request on. The session
    names the current one; where it names none, a foreign one or a removed one, the oldest membership counts.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.membership = request.organization = None
        request.memberships = []
        if request.user.is_authenticated:
            memberships = list(Membership.objects.select_related("organization").filter(user=request.user))
            if memberships:
                wanted = request.session.get(SESSION_KEY)
                oldest = min(memberships, key=lambda m: m.pk)
                request.membership = next((m for m in memberships if m.organization_id == wanted), oldest)
                request.membership.user = request.user
                request.organization = request.membership.organization
                request.memberships = sorted(memberships, key=lambda m: m.organization.name.lower())
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any) -> None:
        """A person without a membership has no business on any page but those of the own account."""
        if not request.user.is_authenticated or request.membership is not None:
            return
        of_the_account = view.__module__.startswith("allauth.") or not getattr(view, "organization_required", True)
        if not of_the_account:
            raise PermissionDenied(NOWHERE)
