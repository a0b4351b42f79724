"""Parsing of bodies and query strings."""

from typing import Any

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja.parser import Parser

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
    """Rejects other content types, large bodies, NaN, duplicate keys, and NUL, which PostgreSQL cannot store."""

    def parse_body(self, request: HttpRequest) -> Any:
        if request.content_type != JSON_TYPE:
            raise ApiError(415)
        return json_body(request)

    def parse_querydict(
        self, data: MultiValueDict[str, str], list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        twice = [name for name in data if name not in list_fields and len(data.getlist(name)) > 1]
        if twice:
            raise invalid({twice[0][:100]: "Give this only once."})
        for name, values in data.lists():
            if "\x00" in name or any("\x00" in value for value in values):
                raise invalid({name.replace("\x00", "")[:100]: "A string cannot have a NUL character."})
        return super().parse_querydict(data, list_fields, request)
