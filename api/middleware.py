"""Middleware for the API."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from api.protocol.errors import ApiError

ROOT = "/api/"
OURS = ("application/json",)
NO_ADDRESS = "The API has no such address. Its operations are listed at /api/v1/docs, and no address ends in a slash."


class ApiAnswers:
    """Gives Django's own errors, such as for an unknown path, the JSON body of API errors. Forbids caching of answers."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not request.path.startswith(ROOT):
            return response
        if response.status_code >= 400 and response.headers.get("Content-Type", "").split(";")[0] not in OURS:
            kept = {name: response.headers[name] for name in ("Allow", "Retry-After") if name in response.headers}
            is_unknown = response.status_code == 404 and request.resolver_match is None
            response = ApiError(response.status_code, NO_ADDRESS if is_unknown else "", headers=kept).response()
        if "Authorization" in request.headers or response.status_code >= 400:
            response.headers["Cache-Control"] = "private, no-store"
        return response
