"""Error pages."""

import sys

from django.contrib.auth.decorators import login_not_required
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

OUR_MISTAKE = (
    "Something broke",
    "This is a mistake of ours and was logged. Nothing that was stored is lost; runs go on. Try again in a moment.",
)
DATABASE_AWAY = (
    "The database is away",
    "It is being restarted, or its disk is full. Nothing that was stored is lost, and replies that models give "
    "meanwhile are kept. Try again in a moment.",
)


@login_not_required
def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _error(
        request, 400, "That request made no sense", "The address or form was incomplete. Go back and try again."
    )


@login_not_required
def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    said = str(exception) if exception else ""
    return _error(request, 403, "You may not do that", said or "Ask an owner of the organization for access.")


@login_not_required
def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    sentence = "It was deleted, belongs to another organization, or the address has a typing error."
    return _error(request, 404, "There is no such page", sentence)


def too_many(sentence: str, retry_seconds: int) -> HttpResponse:
    """Rendered without the request, which may be an API request with a token."""
    response = _error(None, 429, "Too many at once", sentence)
    response["Retry-After"] = str(retry_seconds)
    return response


@login_not_required
def server_error(request: HttpRequest) -> HttpResponse:
    """Uses neither session nor database, which may be what is broken. Answers 503 while the database is away."""
    away = isinstance(sys.exc_info()[1], (OperationalError, InterfaceError))
    code, title, sentence = (503, *DATABASE_AWAY) if away else (500, *OUR_MISTAKE)
    response = _error(None, code, title, sentence)
    if away:
        response["Retry-After"] = "10"
    return response


def _error(request: HttpRequest | None, code: int, title: str, sentence: str) -> HttpResponse:
    return render(request, "error.html", {"code": code, "title": title, "sentence": sentence}, status=code)
