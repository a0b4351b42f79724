"""Pages of a link. All dead links get the same response."""

from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.guards import public
from accounts.secrets import token_hash
from sharing.models import ShareLink
from sharing.selectors import link_of
from sharing.services import share_link_count_view
from sharing.views import content
from sharing.views.visits import View, Visit, framed, limited, quiet, site_of

GONE = {
    "code": 404,
    "title": "This link is not available",
    "sentence": "The link is expired, revoked or mistyped. Ask the person who sent it for a new one.",
}


def visited(view: View) -> View:
    """Decorator that calls the view with a Visit of a live link.

    All dead or unknown links, and addresses that a link does not cover, get the same response.
    """

    @public
    @require_safe
    @wraps(view)
    def answered(request: HttpRequest, token: str, **values: Any) -> HttpResponse:
        def respond() -> HttpResponse:
            link = link_of(token)
            if link is None:
                raise Http404
            visit = Visit(link, reverse("sharing:shared", args=[token]), site_of(request), link.is_public)
            return quiet(view(request, visit, **values), is_public=link.is_public)

        return limited(token_hash(token), GONE, respond)

    return answered


def _counted(request: HttpRequest, visit: Visit, *, embedded: bool) -> HttpResponse:
    response = content.first_page(request, visit, embedded=embedded)
    if request.method == "GET" and isinstance(visit.link, ShareLink):
        share_link_count_view(link=visit.link)
    return response


@visited
def shared(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the first page of a link: the shared thing."""
    return _counted(request, visit, embedded=False)


@framed
@visited
def embed(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the table or figure alone, for a frame on another site."""
    return _counted(request, visit, embedded=True)
