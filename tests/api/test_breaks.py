"""A change of the OpenAPI document that programs would notice is named, and one that they would not is not."""

from copy import deepcopy

import pytest

from api.protocol.describing import description
from tests.api.breaks import breaks

RUN = "/api/v1/runs/{run_id}"


@pytest.fixture
def changed():
    return deepcopy(description())


def test_the_same_document_breaks_nothing(changed):
    assert breaks(description(), changed) == []


def test_what_is_gone_is_named(changed):
    del changed["paths"][RUN]["get"]
    del changed["components"]["schemas"]["Me"]["properties"]["scopes"]
    changed["paths"]["/api/v1/runs"]["get"]["parameters"] = []
    found = breaks(description(), changed)
    assert f"GET {RUN} is gone." in found
    assert "GET /api/v1/me: answer 200: the field scopes is gone." in found
    assert "GET /api/v1/runs: the parameter cursor is gone." in found


def test_what_is_narrower_for_senders_or_wider_for_readers_is_named(changed):
    operation = changed["paths"]["/api/v1/runs"]["get"]
    operation["parameters"].append({"in": "query", "name": "why", "required": True, "schema": {"type": "string"}})
    next(one for one in operation["parameters"] if one["name"] == "limit")["schema"]["maximum"] = 100
    design = changed["components"]["schemas"]["DesignIn"]
    design["properties"]["environment"]["enum"].remove("pricing")
    design["properties"]["settings"] = {"type": "string"}
    design["required"] = ["name", *design["required"]]
    me = changed["components"]["schemas"]["Me"]["properties"]
    me["organization"] = {"anyOf": [me["organization"], {"type": "null"}]}
    assert set(breaks(description(), changed)) == {
        "GET /api/v1/runs: the parameter why is required now.",
        "GET /api/v1/runs: limit: the maximum is 100 now.",
        "POST /api/v1/designs: body: the field name is required now.",
        "POST /api/v1/designs: body.environment: no longer takes pricing.",
        "POST /api/v1/designs: body.settings: no longer takes object.",
        "GET /api/v1/me: answer 200.organization: may now be null.",
    }


def test_what_is_new_and_optional_breaks_nothing(changed):
    changed["paths"]["/api/v1/new"] = changed["paths"][RUN]
    parameters = changed["paths"]["/api/v1/runs"]["get"]["parameters"]
    parameters.append({"in": "query", "name": "why", "schema": {"type": "string"}})
    changed["components"]["schemas"]["Me"]["properties"]["more"] = {"type": "integer"}
    changed["components"]["schemas"]["DesignIn"]["properties"]["name"]["maxLength"] = 2000
    assert breaks(description(), changed) == []
