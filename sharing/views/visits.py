"""Visits: requests of people without a login. All refusals look alike, and no page leaks the token of a link."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.text import Truncator
from django.views.decorators.clickjacking import xframe_options_exempt

from infrastructure.limits import Slots, counted
from infrastructure.transactions import let_go_of_connection
from sharing.models import Shown
from sharing.pictures import HEIGHT, WIDTH, picture_of
from sharing.shown.cards import Card

View = Callable[..., HttpResponse]

MINUTE = 60
REQUESTS_A_MINUTE = 600
AT_ONCE = 6
"""Limit of concurrent responses per link. A browser requests about as many figures of a page at the same time."""

WAIT_SECONDS = 5.0
BUSY = {
    "code": 429,
    "title": "Too many visitors",
    "sentence": "This page has too many visitors. Wait a minute and reload it.",
}
_visits = Slots(AT_ONCE)


@dataclass(frozen=True)
class Preview:
    """What chats show of a page: Open Graph. `address` and `picture` are whole addresses."""

    title: str
    description: str
    address: str
    picture: str
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True)
class Frame:
    """The frame around the content of a page.

    `base` is the address of the first page. `breadcrumbs` are (title, address) of the pages above this one. `caption` is
    what the publisher says about the page, and `as_of` the time of its numbers, if it is part of a gallery.
    """

    organization: str
    title: str
    base: str
    breadcrumbs: tuple[tuple[str, str], ...] = ()
    theme: str = ""
    preview: Preview | None = None
    caption: str = ""
    as_of: datetime | None = None


@dataclass(frozen=True)
class Visit:
    """A request for something that is shown.

    base: address of its first page. site: the site's address, as the visitor asked for it, such as 'https://lab.example'
    above: (title, address) of the pages above the first one
    caption: what the publisher says about it
    is_public: whether search engines may index it, and chats may show a preview
    """

    link: Shown
    base: str
    site: str
    is_public: bool
    above: tuple[tuple[str, str], ...] = ()
    caption: str = ""

    def frame(
        self, title: str, *breadcrumbs: tuple[str, str], theme: str = "", preview: Preview | None = None
    ) -> Frame:
        return Frame(
            self.link.organization.name,
            title,
            self.base,
            (*self.above, *breadcrumbs),
            theme,
            preview,
            self.caption,
            timezone.now() if self.above else None,
        )


def site_of(request: HttpRequest) -> str:
    """The site's address without a slash at its end. A proxy says by its headers which one the visitor asked for."""
    return request.build_absolute_uri("/").rstrip("/")


def preview_of(card: Card, site: str, address: str) -> Preview:
    description = Truncator(" ".join(card.description.split())).chars(200)
    return Preview(card.title, description, f"{site}{address}", f"{site}{address}picture.png")


def picture_response(request: HttpRequest, card: Card, by: str) -> HttpResponse:
    """The picture of a card, or status 304 if the visitor has it. The query 'theme=dark' gives the dark one."""
    dark = request.GET.get("theme") == "dark"
    picture = picture_of(card, by, f"{timezone.now():%-d %b %Y}", dark=dark)
    response = HttpResponse(picture.data, content_type="image/png", headers={"ETag": picture.tag})
    return cast(HttpResponse, get_conditional_response(request, etag=picture.tag, response=response))


def limited(name: str, gone: dict[str, Any], respond: Callable[[], HttpResponse]) -> HttpResponse:
    """Call `respond` unless `name` has too many visitors. Http404 becomes the page `gone`."""
    if counted(f"link:{name}", MINUTE) > REQUESTS_A_MINUTE:
        return _refused(BUSY, MINUTE - int(time.time()) % MINUTE)
    # A visitor who waits for a slot must not hold a database connection.
    let_go_of_connection()
    slot = _visits.take(name, wait_seconds=WAIT_SECONDS)
    if slot is None:
        return _refused(BUSY, int(WAIT_SECONDS))
    try:
        return respond()
    except Http404:
        return _refused(gone)
    finally:
        slot.release()


def _refused(reason: dict[str, Any], retry_seconds: int = 0) -> HttpResponse:
    response = HttpResponse(render_to_string("sharing/refused.html", reason), status=reason["code"])
    if retry_seconds:
        response["Retry-After"] = str(retry_seconds)
    return quiet(response, is_public=False)


def framed(view: View) -> View:
    """Decorator that lets any site show the page in a frame. All other pages forbid frames."""
    return cast(View, xframe_options_exempt(csp_replace({"frame-ancestors": ["*"]})(view)))


def page(template: str, **context: Any) -> HttpResponse:
    """Render a page without the request, so that no context processor adds a signed-in user."""
    return HttpResponse(render_to_string(template, context))


def quiet(response: HttpResponse, *, is_public: bool) -> HttpResponse:
    response["Referrer-Policy"] = "no-referrer"
    # Public pages are revalidated each time too, so that revoking takes effect at once.
    response["Cache-Control"] = "public, no-cache" if is_public else "private, no-store"
    if not is_public:
        response["X-Robots-Tag"] = "noindex"
    return response
