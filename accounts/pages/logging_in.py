"""To the log-in page and back: for whole pages, and for the parts of a page that a script asks for."""

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.utils.http import url_has_allowed_host_and_scheme

PART = "HX-Request"
ADDRESS = "HX-Current-URL"


def log_in_first(request: HttpRequest) -> HttpResponse:
    """To the log-in page. A script is told to send the whole page there, else the log-in page would stand within it."""
    is_part = PART in request.headers or request.headers.get("Sec-Fetch-Dest") == "empty"
    is_page = request.method in {"GET", "HEAD"} and not is_part
    # What a form or a script asks for is no page to come back to, but the page that it belongs to is.
    answer = redirect_to_login(request.get_full_path() if is_page else _page_of(request), settings.LOGIN_URL)
    if is_part:
        return HttpResponse(status=401, headers={"HX-Redirect": answer.url})
    return answer


def _page_of(request: HttpRequest) -> str:
    """Path and query of the page from which a request was sent; the home page if it does not say so."""
    address = request.headers.get(ADDRESS) or request.headers.get("Referer") or ""
    if not url_has_allowed_host_and_scheme(address, {request.get_host()}):
        return "/"
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
