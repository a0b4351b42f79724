"""The MCP server for people's own assistants: reading operations of the API as tools.

A tool has the name, description, parameters and answer of its operation, and runs it. So only the operation decides
what is returned, and to whom.
"""

import json
from collections.abc import Callable
from functools import cache
from typing import Any, cast
from urllib.parse import quote, urlencode

from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.urls import Resolver404, resolve
from django_mcpz.server import MCPServer, ToolError
from django_mcpz.server import public as already_authenticated

from agents.tools import storable, whole_number
from analysis.answers import ANSWERS, FORMER
from api.auth import ApiRequest
from api.protocol.describing import description
from api.protocol.errors import ApiError
from api.schemas.answers import form_of

OPERATIONS = (
    "list_experiments",
    "get_experiment",
    "list_runs",
    "get_run",
    "list_periods",
    "get_period",
    "list_notes",
    "search_texts",
    "get_findings",
    "list_questions",
    "get_question",
    "list_agents",
    *(form_of(answer).operation for answer in ANSWERS.values()),
    *FORMER,
    "compare_runs",
)
MOST_CHARACTERS = 40_000
"""The most characters of one answer. Clients hide or cut longer ones."""

FROM_CHARACTER = "from_character"
FROM_SCHEMA = {
    "type": "integer",
    "minimum": 0,
    "description": f"Where to go on in an answer of more than {MOST_CHARACTERS:,} characters, as its end says.",
}
INSTRUCTIONS = (
    "EconEvals runs economic evaluations of LLM agents. These tools read what your organization sees: experiments, their "
    "runs, what an agent did in each period and noted for itself, leaderboards, comparisons. Answers are JSON. Lists come in "
    "pages: send next_cursor as cursor. Scores are shares of 1."
)


@cache
def reading_server() -> MCPServer:
    server = MCPServer(
        name="econevals",
        title="EconEvals",
        version=settings.VERSION,
        instructions=INSTRUCTIONS,
        auth=already_authenticated,
    )
    document = description()
    operations = {
        operation["operationId"]: (path, operation)
        for path, methods in document["paths"].items()
        for operation in methods.values()
    }
    for name in OPERATIONS:
        path, operation = operations[name]
        parameters = operation.get("parameters", [])
        schema = {
            "type": "object",
            "properties": {parameter["name"]: _schema(parameter, document) for parameter in parameters}
            | {FROM_CHARACTER: FROM_SCHEMA},
            "required": [parameter["name"] for parameter in parameters if parameter["required"]],
            "additionalProperties": False,
        }
        server.tool(
            name=name,
            description=f"{operation['summary']}. {operation['description']}",
            input_schema=schema,
            read_only=True,
        )(_runner(path, [parameter["name"] for parameter in parameters if parameter["in"] == "path"]))
    return server


def _schema(parameter: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """The schema of a parameter, with references replaced by their targets."""

    def whole(value: Any) -> Any:
        if isinstance(value, list):
            return [whole(part) for part in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            return whole(document["components"]["schemas"][value["$ref"].rsplit("/", 1)[1]])
        return {key: whole(part) for key, part in value.items() if key != "title"}

    return cast(dict[str, Any], whole(parameter["schema"]))


def _runner(path: str, in_path: list[str]) -> Callable[[HttpRequest, dict[str, Any]], str]:
    def run(request: HttpRequest, arguments: dict[str, Any]) -> str:
        values = {name: value for name, value in arguments.items() if value is not None}
        since = whole_number(values.pop(FROM_CHARACTER, 0))
        if since is None or since < 0:
            raise ToolError(f"{FROM_CHARACTER} must be a whole number of at least 0.")
        if missing := [name for name in in_path if name not in values]:
            raise ToolError(f"{missing[0]} is needed.")
        where = path
        for name in in_path:
            where = where.replace(f"{{{name}}}", quote(_text(values.pop(name)), safe=""))
        return _part(_answer(request, where, {name: _texts(value) for name, value in values.items()}), since)

    return run


def _answer(request: HttpRequest, path: str, query: dict[str, list[str]]) -> str:
    """Run the operation at this address; returns its answer as compact JSON.

    Raises ToolError with the operation's error sentence.
    """
    api_request = HttpRequest()
    api_request.method, api_request.path, api_request.path_info = "GET", path, path
    api_request.META, api_request.GET = request.META, QueryDict(urlencode(query, doseq=True))
    # The token was authenticated before. Its scope is checked again, but the request is not counted twice.
    cast(ApiRequest, api_request).auth = cast(ApiRequest, request).auth
    try:
        view, positional, keywords = resolve(path)
    except Resolver404:
        raise ToolError(json.loads(ApiError(404).response().content)["error"]["message"]) from None
    response = view(api_request, *positional, **keywords)
    content = json.loads(response.content)
    if response.status_code == 200:
        return storable(json.dumps(content, separators=(",", ":"), ensure_ascii=False))
    error = content["error"]
    raise ToolError(" ".join(f"{name}: {sentence}" for name, sentence in error["fields"].items()) or error["message"])


def _texts(value: Any) -> list[str]:
    """The texts of an argument in the query string: one for each item of a list, one for any other argument."""
    return [_text(item) for item in value] if isinstance(value, list) else [_text(value)]


def _text(value: Any) -> str:
    """A value as text. Some clients send whole numbers as 12.0, which becomes 12."""
    whole = whole_number(value) if isinstance(value, float) else None
    return value if isinstance(value, str) else json.dumps(value if whole is None else whole)


def _part(text: str, since: int) -> str:
    """The text from the character `since` on.

    After MOST_CHARACTERS the text is cut, and a note says how to get the next part.
    """
    end = since + MOST_CHARACTERS
    if len(text) <= end:
        return text[since:]
    return (
        f"{text[since:end]}\n\nThese are characters {since:,} to {end:,} of {len(text):,}. Call again with {FROM_CHARACTER} "
        f"{end} for the rest, or ask for less: a smaller limit, or narrower filters."
    )
