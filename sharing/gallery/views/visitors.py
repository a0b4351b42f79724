"""Pages of open galleries. Closed and unknown galleries, and entries that are gone, get the same response."""

from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.guards import public
from sharing.gallery.selectors import open_galleries, open_gallery_or_404
from sharing.gallery.shown import Exhibit
from sharing.views.visits import Frame, View, limited, page, picture_response, quiet, site_of

GONE = {
    "code": 404,
    "title": "This page is not published",
    "sentence": "The address is mistyped, or the organization no longer publishes this page.",
}


@public
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Lead to the only open gallery of the site, or list all of them."""

    def respond() -> HttpResponse:
        galleries = [
            (gallery.title, gallery.organization.name, reverse("gallery:gallery", args=[gallery.slug]))
            for gallery in open_galleries()
        ]
        if len(galleries) == 1:
            return quiet(redirect(galleries[0][2]), is_public=True)
        frame = Frame("EconEvals", "Published results", reverse("gallery:index"))
        return quiet(page("sharing/gallery/index.html", galleries=galleries, frame=frame), is_public=True)

    return limited("galleries", GONE, respond)


def opened(view: View) -> View:
    """Decorator that calls the view with the Exhibit of an open gallery."""

    @public
    @require_safe
    @wraps(view)
    def answered(request: HttpRequest, gallery: str, **values: Any) -> HttpResponse:
        def respond() -> HttpResponse:
            base = reverse("gallery:gallery", args=[gallery])
            exhibit = Exhibit(open_gallery_or_404(gallery), base, site_of(request))
            return quiet(view(request, exhibit, **values), is_public=True)

        return limited(f"gallery:{gallery}/{values.get('entry', '')}", GONE, respond)

    return answered


def entered(view: View) -> View:
    """Decorator that makes a view of a Visit one of an Exhibit and the slug of an entry."""

    @wraps(view)
    def answered(request: HttpRequest, exhibit: Exhibit, entry: str, **values: Any) -> HttpResponse:
        return view(request, exhibit.visit(entry), **values)

    return answered


def gallery(request: HttpRequest, exhibit: Exhibit) -> HttpResponse:
    content = exhibit.shared()
    return page("sharing/gallery/gallery.html", content=content, frame=exhibit.frame(content))


def citation(request: HttpRequest, exhibit: Exhibit) -> HttpResponse:
    return HttpResponse(exhibit.shared().citation.bibtex, content_type="application/x-bibtex; charset=utf-8")


def picture(request: HttpRequest, exhibit: Exhibit) -> HttpResponse:
    return picture_response(request, exhibit.shared().card, exhibit.gallery.organization.name)
