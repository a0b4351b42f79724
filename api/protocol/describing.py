"""The OpenAPI document of django-ninja, with the scope of each operation and examples of errors added."""

import re
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
    "Episodes and seasons",
    "Seats of episodes",
)
"""Groups of operations, in the order of the documentation."""


@cache
def description() -> dict[str, Any]:
    document = dict(api.get_openapi_schema(path_prefix=ROOT))
    document["tags"] = [{"name": name} for name in TAGS]
    for path, method, scope in scopes():
        operation = document["paths"][path][method]
        for parameter in operation.get("parameters", ()):
            # OpenAPI allows a list of examples only in the schema, which has it too.
            parameter.pop("examples", None)
        operation["responses"] = {str(status): response for status, response in operation["responses"].items()}
        for status, answer in operation["responses"].items():
            if int(status) >= 400:
                code, answer["description"] = CODES[int(status)]
                example = {"error": {"code": code, "message": answer["description"], "fields": {}}}
                answer["content"]["application/json"]["example"] = example
        needs = f"Scope: `{scope}`." if scope else "Takes the token of a seat."
        operation["description"] = f"{operation.get('description', '')}\n\n{needs}".strip()
    return document


def scopes() -> list[tuple[str, str, str]]:
    """(address, method, scope) of every operation. The scope is empty if the operation takes the token of a seat."""
    return [
        (
            # '/runs/{int:run_id}' becomes '/runs/{run_id}'.
            ROOT.rstrip("/") + re.sub(r"{\w+:", "{", path),
            operation.methods[0].lower(),
            getattr(operation.auth_callbacks[0], "scope", ""),
        )
        for bound in api._get_bound_routers()
        for path, view in bound.path_operations.items()
        for operation in view.operations
    ]
