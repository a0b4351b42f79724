"""Who may do what, and where they go afterwards."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme

View = Callable[..., HttpResponse]

VIEWER = "You can look at everything here, but not change it. Ask an owner of the organization to make you an editor."


def editor_required(view: View) -> View:
    """403 with a plain sentence for viewers."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.membership.may_edit:
            raise PermissionDenied(VIEWER)
        return view(request, *args, **kwargs)

    return guarded


def back_to(request: HttpRequest, fallback: str) -> HttpResponse:
    """Redirect to the page the form named, if it is one of ours."""
    target = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(
        target, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        target = fallback
    return HttpResponseRedirect(target)


def whole(text: str | None, default: int) -> int:
    """A number from the address bar, whatever was typed there."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else default
