"""What all pages of a link have in common: no login, one answer for all dead links, and no leak of the token."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast

from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from accounts.guards import public
from accounts.secrets import token_hash
from infrastructure.limits import Slots, counted
from infrastructure.transactions import let_go_of_connection
from sharing.models import ShareLink
from sharing.selectors import link_of

View = Callable[..., HttpResponse]

MINUTE = 60
REQUESTS_A_MINUTE = 600
AT_ONCE = 6
"""Concurrent responses per link; a browser requests about as many figures of a page at once."""

WAIT_SECONDS = 5.0
GONE = {
    "code": 404,
    "title": "This link is not available",
    "sentence": "The link is expired, revoked or mistyped. Ask the person who sent it for a new one.",
}
BUSY = {
    "code": 429,
    "title": "Too many visitors",
    "sentence": "This link has too many visitors. Wait a minute and reload the page.",
}
_visits = Slots(AT_ONCE)


@dataclass(frozen=True)
class Frame:
    """The frame of a page.

    `base` is the address of the link's first page, `breadcrumbs` are the pages above as (title, address).
    """

    organization: str
    title: str
    base: str
    breadcrumbs: tuple[tuple[str, str], ...] = ()
    theme: str = ""


@dataclass(frozen=True)
class Visit:
    """A request by a live link."""

    link: ShareLink
    token: str

    @property
    def base(self) -> str:
        return reverse("sharing:shared", args=[self.token])

    def frame(self, title: str, *breadcrumbs: tuple[str, str], theme: str = "") -> Frame:
        return Frame(self.link.organization.name, title, self.base, breadcrumbs, theme)


def visited(view: View) -> View:
    """Call the view with a Visit. Dead and unknown links and addresses that a link does not cover get the same response."""

    @public
    @require_safe
    @wraps(view)
    def answered(request: HttpRequest, token: str, **kwargs: Any) -> HttpResponse:
        name = token_hash(token)
        if counted(f"link:{name}", MINUTE) > REQUESTS_A_MINUTE:
            return _refused(BUSY, MINUTE - int(time.time()) % MINUTE)
        # A visitor who waits for a slot must not hold a database connection.
        let_go_of_connection()
        slot = _visits.take(name, wait_seconds=WAIT_SECONDS)
        if slot is None:
            return _refused(BUSY, int(WAIT_SECONDS))
        try:
            link = link_of(token)
            if link is None:
                return _refused(GONE)
            return _quiet(view(request, Visit(link, token), **kwargs), link.is_public)
        except Http404:
            return _refused(GONE)
        finally:
            slot.release()

    return answered


def _refused(reason: dict[str, Any], retry_seconds: int = 0) -> HttpResponse:
    response = HttpResponse(render_to_string("sharing/refused.html", reason), status=reason["code"])
    if retry_seconds:
        response["Retry-After"] = str(retry_seconds)
    return _quiet(response, False)


def framed(view: View) -> View:
    """Allow frames on any site. No other page allows them."""
    return cast(View, xframe_options_exempt(csp_replace({"frame-ancestors": ["*"]})(view)))


def page(template: str, **context: Any) -> HttpResponse:
    """Rendered without the request, so that no context processor adds a signed-in user."""
    return HttpResponse(render_to_string(template, context))


def _quiet(response: HttpResponse, is_public: bool) -> HttpResponse:
    response["Referrer-Policy"] = "no-referrer"
    # Public pages are revalidated each time too, so that revoking takes effect at once.
    response["Cache-Control"] = "public, no-cache" if is_public else "private, no-store"
    if not is_public:
        response["X-Robots-Tag"] = "noindex"
    return response
