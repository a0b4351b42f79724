"""Parsing of requests and rendering of answers. Both are stricter than those of django-ninja."""

import json
import math
from typing import Any

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja.parser import Parser
from ninja.renderers import JSONRenderer

from api.protocol.errors import ApiError, invalid
from environments.json_text import NotJSON, read_json

MOST_BYTES = 1024 * 1024
JSON_TYPE = "application/json"


def json_body(request: HttpRequest) -> Any:
    """The body as JSON. Raises ApiError if it is large, or has NaN, duplicate keys or NUL, which PostgreSQL cannot store."""
    if len(request.body) > MOST_BYTES:
        raise ApiError(413)
    try:
        return read_json(request.body)
    except NotJSON as error:
        raise ApiError(400, f"The body {error}.") from None


class StrictParser(Parser):
    """Rejects other content types, and what `json_body` and `parse_querydict` refuse."""

    def parse_body(self, request: HttpRequest) -> Any:
        if request.content_type != JSON_TYPE:
            raise ApiError(415)
        return json_body(request)

    def parse_querydict(
        self, data: MultiValueDict[str, str], list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        if twice := [name for name in data if name not in list_fields and len(data.getlist(name)) > 1]:
            raise invalid({twice[0][:100]: "Give this only once."})
        for name, values in data.lists():
            if "\x00" in name or any("\x00" in value for value in values):
                raise invalid({name.replace("\x00", "")[:100]: "A string cannot have a NUL character."})
        return super().parse_querydict(data, list_fields, request)


class FiniteRenderer(JSONRenderer):
    """Renders JSON that every language can read: numbers that are not finite become null."""

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> str:
        try:
            return json.dumps(data, cls=self.encoder_class, allow_nan=False)
        except ValueError:
            return json.dumps(finite(data), cls=self.encoder_class, allow_nan=False)


def finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    return [finite(part) for part in value] if isinstance(value, list | tuple) else value
