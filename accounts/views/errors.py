"""Error pages, and the redirect to the log-in page."""

import sys
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import DisallowedHost
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import Resolver404
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.csrf import csrf_failure as refused_form

OUR_MISTAKE = (
    "Something broke",
    "This is a mistake of ours and was logged. Nothing that was stored is lost; runs go on. Try again in a moment.",
)
DATABASE_AWAY = (
    "The database is away",
    "It is being restarted, or its disk is full. Nothing that was stored is lost, and replies that models give "
    "meanwhile are kept. Try again in a moment.",
)


PROGRAMS_ASK = ("/.well-known/", "/authorize", "/register", "/token", "/mcp/")
"""Starts of paths that MCP clients request to find a sign-in by OAuth after their token was refused."""

NO_SIGN_IN = (
    "The token that was sent is wrong, expired or revoked, or none was sent. This site has no sign-in by OAuth: send "
    "Authorization: Bearer with the token of a seat (ep_…) or of the API (ee_…)."
)


@login_not_required
def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, DisallowedHost):
        # Rendered without the request, because reading its host would raise again.
        host = request.META.get("HTTP_HOST", "")[:200]
        return _error(
            None,
            400,
            "This site has another name",
            f"This site does not answer as {host}. Its operator can add that name to ALLOWED_HOSTS, and the whole address, "
            "such as https://evals.example.org, to CSRF_TRUSTED_ORIGINS.",
        )
    return _error(
        request, 400, "That request made no sense", "The address or form was incomplete. Go back and try again."
    )


@login_not_required
def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _error(
        request, 403, "You may not do that", str(exception or "") or "Ask an owner of the organization for access."
    )


@login_not_required
def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """Answer a form with a failed CSRF check. If the session has ended, redirect to the log-in page."""
    match = request.resolver_match
    if match and getattr(match.func, "login_required", True) and not request.user.is_authenticated:
        return log_in_first(request)
    if reason.startswith(("Origin checking failed", "Referer checking failed")):
        origin = request.headers.get("Origin") or request.headers.get("Referer") or "null"
        # Browsers send "null" where they hide the origin.
        sender = "elsewhere" if origin == "null" else origin[:200]
        return _error(
            request,
            403,
            "This form came from elsewhere",
            f"The browser says that this form was sent from {sender}, and not from an address of this site. If it should be "
            "one, as behind a tunnel, the operator can add it to CSRF_TRUSTED_ORIGINS, and its name to ALLOWED_HOSTS.",
        )
    return refused_form(request, reason)


@login_not_required
def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if request.path.startswith(PROGRAMS_ASK):
        # In the form of RFC 6749, which these clients print.
        return JsonResponse({"error": "invalid_request", "error_description": NO_SIGN_IN}, status=404)
    return _error(
        request,
        404,
        "There is no such page",
        "No page has this address. Look for a typing error, or begin at the home page."
        if isinstance(exception, Resolver404)
        else "It was deleted, belongs to another organization, or the address has a typing error.",
    )


def too_many(sentence: str, retry_seconds: int) -> HttpResponse:
    """Return the page for status 429. It is rendered without the request, which may be an API request with a token."""
    return _error(None, 429, "Too many at once", sentence, retry_seconds)


@login_not_required
def server_error(request: HttpRequest) -> HttpResponse:
    """Return the page for status 500, or 503 while the database is away.

    It uses neither session nor database, because these may be broken.
    """
    if isinstance(sys.exc_info()[1], (OperationalError, InterfaceError)):
        return _error(None, 503, *DATABASE_AWAY, retry_seconds=10)
    return _error(None, 500, *OUR_MISTAKE)


def _error(
    request: HttpRequest | None, code: int, title: str, sentence: str, retry_seconds: int | None = None
) -> HttpResponse:
    response = render(request, "error.html", {"code": code, "title": title, "sentence": sentence}, status=code)
    if retry_seconds is not None:
        response["Retry-After"] = str(retry_seconds)
    return response


PART = "HX-Request"
ADDRESS = "HX-Current-URL"


def log_in_first(request: HttpRequest) -> HttpResponse:
    """Redirect to the log-in page. Scripts of a page get 401 with HX-Redirect, so that the whole page changes."""
    is_part = PART in request.headers or request.headers.get("Sec-Fetch-Dest") == "empty"
    is_page = request.method in {"GET", "HEAD"} and not is_part
    # After the log-in, people return to a page. For a request of a form or script, this is the page that sent it.
    answer = redirect_to_login(request.get_full_path() if is_page else _page_of(request), settings.LOGIN_URL)
    if is_part:
        return HttpResponse(status=401, headers={"HX-Redirect": answer.url})
    return answer


def _page_of(request: HttpRequest) -> str:
    """Return path and query of the page that sent the request; "/" if no header names a page of this site."""
    address = request.headers.get(ADDRESS) or request.headers.get("Referer") or ""
    if not url_has_allowed_host_and_scheme(address, {request.get_host()}):
        return "/"
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
