"""Parse requests and render answers as JSON; reject unknown query parameters."""

import json
import math
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja.operation import Operation
from ninja.parser import Parser
from ninja.renderers import JSONRenderer

from api.protocol.errors import ApiError, invalid
from environments.json_text import NotJSON, read_json

MOST_BYTES = 1024 * 1024
JSON_TYPE = "application/json"


class StrictParser(Parser):
    """Rejects other content types, large bodies, NaN, duplicate keys, and NUL, which PostgreSQL cannot store."""

    def parse_body(self, request: HttpRequest) -> Any:
        if request.content_type != JSON_TYPE:
            raise ApiError(415)
        if len(request.body) > MOST_BYTES:
            raise ApiError(413)
        try:
            return read_json(request.body)
        except NotJSON as error:
            raise ApiError(400, f"The body {error}.") from None

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


class FiniteRenderer(JSONRenderer):
    """JSON for every language: numbers that are not finite become null."""

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


def known_parameters_only(run: Callable[..., Any]) -> Callable[..., Any]:
    """Answer 422 for an unknown query parameter: a misspelt filter must not return all rows."""
    # Wraps the operation's `view_func` and not its `run`, so that the check comes after authentication.
    operation: Operation = run.__self__  # type: ignore[attr-defined]
    queries = [model for model in operation.models if model.__ninja_param_source__ == "query"]
    parameter_names = {name for model in queries for name in model.__ninja_flatten_map__}
    view = operation.view_func

    @wraps(view)
    def checked(request: HttpRequest, **values: Any) -> Any:
        for name in request.GET:
            if name not in parameter_names:
                raise invalid({name[:100]: "There is no such parameter."})
        return view(request, **values)

    operation.view_func = checked
    return run
