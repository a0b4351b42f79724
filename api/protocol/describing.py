"""The OpenAPI document: django-ninja's, with what each operation needs and examples of errors put in."""

from __future__ import annotations

from functools import cache
from typing import Any

from api.protocol.errors import CODES
from api.site import api

ROOT = "/api/v1/"
TAGS = (
    "This token",
    "Experiments",
    "Runs",
    "Periods, notes, transcripts",
    "Figures",
    "Leaderboards",
    "Agents and endpoints",
    "Instances",
    "Ledger",
    "Export",
)
"""In the order in which people need them."""


@cache
def description() -> dict[str, Any]:
    document = dict(api.get_openapi_schema(path_prefix=ROOT))
    for path in document["paths"].values():
        for operation in path.values():
            operation["responses"] = {
                str(status): _answer(status, found) for status, found in operation["responses"].items()
            }
    document["tags"] = [{"name": name} for name in TAGS]
    for path, method, scope in scopes():
        operation = document["paths"][path][method]
        operation["description"] = f"{operation.get('description', '')}\n\nScope: `{scope}`.".strip()
    return document


def scopes() -> list[tuple[str, str, str]]:
    """(address, method, scope) of every operation."""
    found = []
    for bound in api._get_bound_routers():
        for path, view in bound.path_operations.items():
            address = ROOT.rstrip("/") + _plain(path)
            found += [(address, op.methods[0].lower(), op.auth_callbacks[0].scope) for op in view.operations]
    return found


def _plain(path: str) -> str:
    """'/runs/{int:run_id}' to '/runs/{run_id}'."""
    return "/".join(
        f"{{{part.split(':')[1]}" if part.startswith("{") and ":" in part else part for part in path.split("/")
    )


def _answer(status: int, answer: dict[str, Any]) -> dict[str, Any]:
    if int(status) < 400:
        return answer
    code, sentence = CODES[int(status)]
    content = answer["content"]["application/json"] | {
        "example": {"error": {"code": code, "message": sentence, "fields": {}}}
    }
    return answer | {"description": sentence, "content": {"application/json": content}}
