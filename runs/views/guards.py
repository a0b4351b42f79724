"""Who may do what, and what was typed."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict

from accounts.models import Role

View = Callable[..., HttpResponse]

VIEWER = "You can look at everything here, but not change it. Ask an owner of the organization to make you an editor."

NOT_OWNER = "Only owners change budgets of the organization and its members. Ask one of them."


def editor_required(view: View) -> View:
    """403 with a plain sentence for viewers."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.membership.may_edit:
            raise PermissionDenied(VIEWER)
        return view(request, *args, **kwargs)

    return guarded


def owner_required(view: View) -> View:
    """403 with a plain sentence for everybody but owners."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.membership.role != Role.OWNER:
            raise PermissionDenied(NOT_OWNER)
        return view(request, *args, **kwargs)

    return guarded


def whole(text: str | None, default: int) -> int:
    """A number from the address bar, whatever was typed there."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else default


def typed(data: QueryDict, key: str) -> str:
    """A text as typed, without the one character that PostgreSQL refuses."""
    return data.get(key, "").replace("\x00", "").strip()[:200]
