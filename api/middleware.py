"""Middleware for the API."""

from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from api.protocol.errors import ApiError

ROOT = "/api/"
OURS = ("application/json",)
NO_ADDRESS = "The API has no such address. Its operations are listed at /api/v1/docs, and no address ends in a slash."


class ApiAnswers(MiddlewareMixin):
    """Gives Django's own errors, such as for an unknown path, the JSON body of API errors. Forbids caching of answers."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if not request.path.startswith(ROOT):
            return response
        if response.status_code >= 400 and response.headers.get("Content-Type", "").split(";")[0] not in OURS:
            kept = {name: response.headers[name] for name in ("Allow", "Retry-After") if name in response.headers}
            is_unknown = response.status_code == 404 and request.resolver_match is None
            response = ApiError(response.status_code, NO_ADDRESS if is_unknown else "", headers=kept).response()
        if "Authorization" in request.headers or response.status_code >= 400:
            response.headers["Cache-Control"] = "private, no-store"
        return response
