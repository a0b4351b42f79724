"""HEAD is answered like GET without a body, by the API and by every downloadable file."""

import re

import pytest

from api.protocol.describing import description
from tests.security.site_map import pages

FILE = re.compile(r"\.(csv|json|tex|jsonl|eval|html)$|/report/?$|exports/")


def compared(client, address, **headers):
    """The answer to HEAD, which agrees with that to GET."""
    got = client.get(address, headers=headers)
    # A download keeps its slot until it is read.
    list(got)
    head = client.head(address, headers=headers)
    assert (head.status_code, head.headers.get("Content-Type")) == (got.status_code, got.headers.get("Content-Type")), (
        address
    )
    assert b"".join(head) == b"", address
    return head


@pytest.fixture
def run(played):
    return played("random", periods=1).runs.get()


@pytest.mark.long
def test_every_operation_of_the_api_answers_head(owning, run):
    values = {"experiment_id": run.experiment_id, "run_id": run.pk, "slug": "random", "instance_id": run.instance_id}
    found = set()
    for path, methods in description()["paths"].items():
        if "get" in methods:
            address = re.sub(r"{(\w+)}", lambda name: str(values.get(name[1], 0)), path)
            found.add(compared(owning.client, address, **owning.headers).status_code)
    assert {200, 404} <= found and 405 not in found and 500 not in found
    assert owning.client.head("/api/v1/openapi.json").status_code == 200
    assert owning.client.head("/api/v1/estimate", headers=owning.headers).status_code == 405


@pytest.mark.long
def test_every_file_of_the_pages_answers_head(page, run):
    values = {"experiment_id": run.experiment_id, "run_id": run.pk, "instance_id": run.instance_id, "kind": "benchmark"}
    for route in pages():
        address = re.sub(r"\(\?P<form>(\w+)\|[^)]*\)", r"\1", route).strip("^$").replace("\\", "")
        address = "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda name: str(values.get(name[1], 0)), address)
        if FILE.search(address):
            assert compared(page, address).status_code != 405, address
