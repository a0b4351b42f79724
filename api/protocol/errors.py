"""Error answers with the body {"error": {"code", "message", "fields"}}. HANDLERS maps exceptions to them."""

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, ValidationError
from django.db import InterfaceError, OperationalError
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError
from ninja.errors import ValidationError as InvalidRequest

from accounts.pages.requests import sentences_by_field
from infrastructure.schemas import sentence_of
from runs.episodes.refusals import Code, SeatRefused
from runs.launching.plan import LaunchError

PREPARING_SECONDS = 2
"""Seconds after which an agent should ask again whether its instance is ready."""

logger = logging.getLogger("econevals.api")

CODES = {
    400: ("malformed", "The request could not be read."),
    401: ("not_authenticated", "Send a token: Authorization: Bearer ee_…"),
    403: ("not_allowed", "This token may not do that."),
    404: ("not_found", "There is no such thing here. It was deleted, or belongs to another organization."),
    405: ("method_not_allowed", "This address does not take this method."),
    409: ("conflict", "The episode is in another state."),
    413: ("too_large", "A request body has at most 1 MiB."),
    415: ("unsupported_media_type", "Send the body as JSON, with Content-Type: application/json."),
    422: ("invalid", "Something in the request is wrong."),
    429: ("too_many_requests", "There were too many requests. Wait as long as Retry-After says."),
    500: ("our_mistake", "This is a mistake of ours and was logged. Nothing that was stored is lost."),
    503: ("database_away", "The database is away. Try again in a moment."),
}


def field_sentences(errors: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The first pydantic error of each field, by field name.

    ('body', 'body', 'seeds', 0) becomes 'seeds.0': the first parts name the source and the body, not a field.
    """
    sentences: dict[str, str] = {}
    for error in errors:
        source, *parts = (str(part) for part in error["loc"] if part != "\x1e")
        if source == "body" and parts[:1] == ["body"]:
            parts = parts[1:]
        sentences.setdefault(".".join(parts) or "body", sentence_of(error))
    return sentences


@dataclass(eq=False)
class ApiError(Exception):
    """An error answer. By default, its status determines its code and sentence."""

    status: int
    message: str = ""
    code: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def response(self) -> HttpResponse:
        code, sentence = CODES.get(self.status, CODES[400])
        error: dict[str, Any] = {"code": self.code or code, "message": self.message or sentence, "fields": self.fields}
        headers = {"WWW-Authenticate": 'Bearer realm="EconEvals"'} if self.status == 401 else {}
        return HttpResponse(
            json.dumps({"error": error}), "application/json", self.status, headers={**headers, **self.headers}
        )


def invalid(fields: Mapping[str, str]) -> ApiError:
    """A 422 with a sentence for each wrong field. The first sentence is the message."""
    return ApiError(422, next(iter(fields.values()), ""), fields=fields)


def valid(form: Form) -> dict[str, Any]:
    """The cleaned data of a form. Raises ApiError 422 with the form's error messages if it is invalid."""
    if not form.is_valid():
        raise invalid({field: " ".join(map(str, sentences)) for field, sentences in form.errors.items()})
    return form.cleaned_data


def error_of_validation(error: ValidationError) -> ApiError:
    """The error answer for a service's ValidationError, with sentences by field."""
    sentences = {field: " ".join(messages) for field, messages in sentences_by_field(error).items()}
    return ApiError(422, next(iter(sentences.values())), fields={k: v for k, v in sentences.items() if k})


def error_of_refusal(error: SeatRefused) -> ApiError:
    """The error answer for a refused turn: 409 if the episode is in another state, 422 for an action the game forbids."""
    if error.code == Code.INVALID_ACTION:
        return ApiError(422, error.sentence, error.code, fields={"action": error.sentence})
    headers = {"Retry-After": str(PREPARING_SECONDS)} if error.code == Code.PREPARING else {}
    return ApiError(409, error.sentence, error.code, headers=headers)


def error_of_http(error: HttpError) -> ApiError:
    """The error answer for an error of django-ninja.

    If our parser raised an ApiError, django-ninja wraps it in a 400. The ApiError is then returned.
    """
    return error.__cause__ if isinstance(error.__cause__, ApiError) else ApiError(error.status_code)


def error_of_database(error: Exception) -> ApiError:
    logger.exception("The database is away.")
    return ApiError(503, headers={"Retry-After": "10"})


def error_of_bug(error: Exception) -> ApiError:
    logger.exception("A request of the API failed.")
    return ApiError(500)


HANDLERS: dict[type[Exception], Callable[[Any], ApiError]] = {
    ApiError: lambda error: error,
    Http404: lambda error: ApiError(404),
    PermissionDenied: lambda error: ApiError(403, str(error)),
    RequestDataTooBig: lambda error: ApiError(413),
    ValidationError: error_of_validation,
    LaunchError: lambda error: invalid(error.errors),
    InvalidRequest: lambda error: invalid(field_sentences(error.errors)),
    AuthenticationError: lambda error: ApiError(401),
    SeatRefused: error_of_refusal,
    HttpError: error_of_http,
    OperationalError: error_of_database,
    InterfaceError: error_of_database,
    Exception: error_of_bug,
}


def api_error_of(error: Exception) -> ApiError:
    """The error answer for any exception."""
    return next(error_of(error) for kind, error_of in HANDLERS.items() if isinstance(error, kind))


def install(api: NinjaAPI) -> None:
    def handle(request: HttpRequest, error: Exception, *, error_of: Callable[[Any], ApiError]) -> HttpResponse:
        return error_of(error).response()

    for kind, error_of in HANDLERS.items():
        api.add_exception_handler(kind, partial(handle, error_of=error_of))
