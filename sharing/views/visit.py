"""What every page of a link has in common: it needs no log-in, says nothing about dead links, and its token goes to nobody
else.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from csp.decorators import csp_replace
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from accounts.guards import without_organization
from infrastructure.connections import let_go_of_connection
from infrastructure.limits import Slots, counted
from sharing.models import ShareLink
from sharing.selectors import link_of
from sharing.services import token_hash
from sharing.shown.frame import Frame

View = Callable[..., HttpResponse]

MINUTE = 60
REQUESTS_A_MINUTE = 600
AT_ONCE = 6
"""Answers of one link that are made at the same time; a browser asks for as many figures of a page at once."""

WAIT_SECONDS = 5.0
_visits = Slots(AT_ONCE)


@dataclass(frozen=True)
class Visit:
    """A live link that somebody came by."""

    link: ShareLink
    token: str

    @property
    def base(self) -> str:
        return reverse("sharing:shared", args=[self.token])

    def frame(self, title: str, *place: tuple[str, str], theme: str = "") -> Frame:
        return Frame(self.link.organization.name, title, self.base, place, theme)


def visited(view: View) -> View:
    """Call the view with a Visit. A link that is unknown, revoked or expired, and an address that a link does not cover,
    get the same answer, byte for byte.
    """

    @login_not_required
    @without_organization
    @require_safe
    @wraps(view)
    def answered(request: HttpRequest, token: str, **kwargs: Any) -> HttpResponse:
        name = token_hash(token)
        if counted(f"link:{name}", MINUTE) > REQUESTS_A_MINUTE:
            return _busy(MINUTE - int(time.time()) % MINUTE)
        # Before the first query or after it, a visitor who waits here holds no database connection.
        let_go_of_connection()
        slot = _visits.take(name, wait_seconds=WAIT_SECONDS)
        if slot is None:
            return _busy(int(WAIT_SECONDS))
        try:
            return _answer(request, token, view, kwargs)
        finally:
            slot.release()

    return answered


def _answer(request: HttpRequest, token: str, view: View, kwargs: dict[str, Any]) -> HttpResponse:
    link = link_of(token)
    try:
        if link is None:
            raise Http404
        return _quiet(view(request, Visit(link, token), **kwargs), link.is_public)
    except Http404:
        return _quiet(HttpResponse(render_to_string("sharing/gone.html"), status=404), False)


def _busy(seconds: int) -> HttpResponse:
    response = HttpResponse(render_to_string("sharing/busy.html"), status=429, headers={"Retry-After": str(seconds)})
    return _quiet(response, False)


def framed(view: View) -> View:
    """May stand in a frame of any site, which nothing else here may."""
    return xframe_options_exempt(csp_replace({"frame-ancestors": ["*"]})(view))


def page(template: str, **context: Any) -> HttpResponse:
    """Rendered without the request: no context processor adds the person who happens to be signed in."""
    return HttpResponse(render_to_string(template, context))


def _quiet(response: HttpResponse, is_public: bool) -> HttpResponse:
    response["Referrer-Policy"] = "no-referrer"
    # Also a public page is asked for anew each time, so that revoking it counts at once.
    response["Cache-Control"] = "public, no-cache" if is_public else "private, no-store"
    if not is_public:
        response["X-Robots-Tag"] = "noindex"
    return response
