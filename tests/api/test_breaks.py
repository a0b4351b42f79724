"""Breaking changes of the OpenAPI document are reported, and compatible changes are not."""

from copy import deepcopy

import pytest

from api.protocol.describing import description
from tests.api.breaks import breaks

RUN = "/api/v1/runs/{run_id}"


@pytest.fixture
def changed():
    return deepcopy(description())


def test_an_unchanged_document_has_no_breaks(changed):
    assert breaks(description(), changed) == []


def test_removed_parts_are_breaks(changed):
    del changed["paths"][RUN]["get"]
    del changed["components"]["schemas"]["Me"]["properties"]["scopes"]
    changed["paths"]["/api/v1/runs"]["get"]["parameters"] = []
    found = breaks(description(), changed)
    assert f"GET {RUN} is gone." in found
    assert "GET /api/v1/me: answer 200: the field scopes is gone." in found
    assert "GET /api/v1/runs: the parameter cursor is gone." in found


def test_narrower_inputs_and_wider_outputs_are_breaks(changed):
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


def test_optional_additions_are_not_breaks(changed):
    changed["paths"]["/api/v1/new"] = changed["paths"][RUN]
    parameters = changed["paths"]["/api/v1/runs"]["get"]["parameters"]
    parameters.append({"in": "query", "name": "why", "schema": {"type": "string"}})
    changed["components"]["schemas"]["Me"]["properties"]["more"] = {"type": "integer"}
    changed["components"]["schemas"]["DesignIn"]["properties"]["name"]["maxLength"] = 2000
    assert breaks(description(), changed) == []
