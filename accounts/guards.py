"""Decorators that check roles, and one for pages that need no organization."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse

from accounts.pages.requests import MemberRequest

View = Callable[..., HttpResponse]

VIEWER = "You can look at everything here, but not change it. Ask an owner of the organization to make you an editor."

NO_OWNER = "Only owners of the organization may do this. Ask one of them."


def editor_required(view: View) -> View:
    """Answer viewers with 403 and a sentence."""

    @wraps(view)
    def guarded(request: MemberRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.membership.may_edit:
            raise PermissionDenied(VIEWER)
        return view(request, *args, **kwargs)

    return guarded


def owner_required(view: View) -> View:
    """Answer editors and viewers with 403 and a sentence."""

    @wraps(view)
    def guarded(request: MemberRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.membership.may_manage:
            raise PermissionDenied(NO_OWNER)
        return view(request, *args, **kwargs)

    return guarded


def without_organization(view: View) -> View:
    """Let signed-in people without a membership open the view."""
    view.organization_required = False  # type: ignore[attr-defined]
    return view
