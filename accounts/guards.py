"""Who may open a page, and pages that need no organization."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

View = Callable[..., HttpResponse]

NO_OWNER = "Only owners of the organization may do this. Ask one of them."


def owner_required(view: View) -> View:
    """403 with a plain sentence for editors and viewers."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.membership.may_manage:
            raise PermissionDenied(NO_OWNER)
        return view(request, *args, **kwargs)

    return guarded


def without_organization(view: View) -> View:
    """Open to a signed-in person who is a member nowhere."""
    view.organization_required = False
    return view
