"""The view of /mcp: authentication by token, then the MCP server of the token."""

import json
from collections.abc import Mapping
from typing import Any, cast

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from django_mcpz.jsonrpc import INVALID_REQUEST
from django_mcpz.server import MCPServer

from accounts.guards import public
from api.auth import READ, SEAT, ApiRequest, SeatRequest
from api.mcp.reading import reading_server
from api.mcp.seats import seat_server
from api.protocol.bodies import json_body
from api.protocol.errors import ApiError, api_error_of
from api.services import PREFIX
from runs.episodes.secrets import TOKEN_PREFIX

INTERNAL_ERROR = -32603
NO_TOKEN = "Send a token: Authorization: Bearer ep_… of a seat to play, or ee_… with the scope “read” to read."


@public
@csrf_exempt
@require_POST
def mcp(request: HttpRequest) -> HttpResponse:
    """Answer one message of an MCP client.

    Errors of tools are results; others are JSON-RPC errors with their HTTP status.
    """
    _trim_headers(request)
    message: Any = None
    unread: Exception | None = None
    try:
        message = json_body(request)
    except (ApiError, RequestDataTooBig) as error:
        unread = error
    try:
        server = _server(request)
        if unread is not None:
            raise unread
        return server(request)
    except Exception as error:
        return _refusal(api_error_of(error), message)


def _trim_headers(request: HttpRequest) -> None:
    """Remove spaces around header values, as RFC 9110 requires. The parser of our web server keeps them."""
    for name, value in request.META.items():
        if name.startswith("HTTP_MCP_"):
            request.META[name] = value.strip()
    # Middleware may have read and cached the headers.
    request.__dict__.pop("headers", None)


def _server(request: HttpRequest) -> MCPServer:
    """The server for the token. The token's seat or caller becomes `request.auth`. Raises ApiError."""
    scheme, _, token = request.headers.get("Authorization", "").strip().partition(" ")
    token = token.strip()
    if scheme.lower() == "bearer" and token.startswith(TOKEN_PREFIX):
        seat = SEAT.authenticate(request, token)
        cast(SeatRequest, request).auth = seat
        return seat_server(seat)
    if scheme.lower() == "bearer" and token.startswith(PREFIX):
        cast(ApiRequest, request).auth = READ.authenticate(request, token)
        return reading_server()
    raise ApiError(401, NO_TOKEN)


def _refusal(error: ApiError, message: Any) -> HttpResponse:
    """The error as JSON-RPC. Clients show the message of such an error but ignore other bodies.

    The answer has no OAuth metadata, because it makes some clients ignore a configured token.
    """
    answer = error.response()
    error_json: Mapping[str, Any] = json.loads(answer.content)["error"]
    body = {
        "code": INTERNAL_ERROR if error.status >= 500 else INVALID_REQUEST,
        "message": error_json["message"],
        "data": {"code": error_json["code"]},
    }
    kept = {name: answer[name] for name in ("WWW-Authenticate", "Retry-After") if name in answer}
    number = message.get("id") if isinstance(message, dict) else None
    return JsonResponse(
        {"jsonrpc": "2.0", "id": number if isinstance(number, str | int) else None, "error": body},
        status=error.status,
        headers=kept,
    )
