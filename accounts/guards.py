"""Decorators for views: some require a role, others open a view to people without an organization or a log-in."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse

from accounts.pages.requests import MemberRequest

View = Callable[..., HttpResponse]

VIEWER = "You can look at everything here, but not change it. Ask an owner of the organization to make you an editor."

NO_OPERATOR = "Only a site operator may do this. The command `operator` on the server makes somebody one."

NO_OWNER = "Only owners of the organization may do this. Ask one of them."


def _requires(right: str, sentence: str, holder: str = "membership") -> Callable[[View], View]:
    """Return a decorator that responds with status 403 to members without a right.

    right: name of a boolean property of the holder
    sentence: the text of that response
    holder: who has the right, as an attribute of the request: the membership or the user
    """

    def decorator(view: View) -> View:
        @wraps(view)
        def guarded(request: MemberRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not getattr(getattr(request, holder), right):
                raise PermissionDenied(sentence)
            return view(request, *args, **kwargs)

        return guarded

    return decorator


editor_required = _requires("may_edit", VIEWER)
owner_required = _requires("may_manage", NO_OWNER)
operator_required = _requires("is_operator", NO_OPERATOR, holder="user")


def without_organization(view: View) -> View:
    """Let signed-in people without a membership open the view."""
    view.organization_required = False  # type: ignore[attr-defined]
    return view


def public(view: View) -> View:
    """Let everybody open the view, signed in or not."""
    return without_organization(login_not_required(view))
