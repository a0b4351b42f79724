"""The statements of docs/api.md and of the documentation page are true."""

import io
import json
import re
import urllib.request
from contextlib import redirect_stdout

import pytest
from pydantic import BaseModel

from api.protocol.errors import CODES
from runs.engine.advance import advance
from runs.models import Run
from tests.data_folders import ROOT

TEXT = (ROOT / "docs" / "api.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_curl_examples_are_answered(owning):
    assert owning.get("/me").status_code == 200
    for command in blocks("sh")[1:]:
        body = json.loads(re.search(r"-d '(.*)'", command).group(1))
        path = re.search(r"\$SITE/api/v1(\S+)\"", command).group(1)
        assert owning.post(path, body, Idempotency_Key=f"key of {path}".replace(" ", "-")).status_code == 201


@pytest.mark.long
def test_the_python_example_launches_and_watches(owning, monkeypatch):
    """The program is run as printed; a worker plays while it sleeps, and its requests go to the site without a network."""

    def opened(request):
        path = request.full_url.removeprefix("http://site/api/v1")
        owning.headers = dict(request.header_items())
        owning.headers.pop("Content-type")
        body = json.loads(request.data) if request.data else None
        response = owning.send(request.get_method(), path, body)
        assert response.status_code < 300, response.content
        return io.BytesIO(response.content)

    def work(seconds):
        for run in Run.objects.filter(state="queued"):
            advance(run.pk)

    monkeypatch.setattr(urllib.request, "urlopen", opened)
    monkeypatch.setattr("time.sleep", work)
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(blocks("python")[0], {"SITE": "http://site", "TOKEN": owning.token})
    assert [line.split()[1] for line in printed.getvalue().splitlines()] == ["finished", "finished"]


def test_the_error_example_and_the_table_of_codes_are_those_of_the_code(owning):
    answer = owning.post("/experiments", {"environments": ["pricing"], "difficulties": ["BASIC"], "seeds": "0"})
    assert answer.json() == json.loads(blocks("json")[0])
    for status, (code, _) in CODES.items():
        assert f"`{code}`" in TEXT and str(status) in TEXT, code


def test_the_documentation_page_runs_no_inline_script_or_style(client):
    page = client.get("/api/v1/docs").text
    assert "swagger-ui-bundle.js" in page and "cdn" not in page
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", page)


@pytest.mark.long
def test_the_document_is_the_same_for_everybody(client, owning):
    anonymous = client.get("/api/v1/openapi.json").content
    assert anonymous == owning.get("/openapi.json").content
    assert json.loads(anonymous)["openapi"].startswith("3.1")


def test_no_two_schemas_share_a_name():
    """The document keeps one schema for each name, so a second one would be documented with the fields of the first."""

    def schemas_below(model):
        for schema in model.__subclasses__():
            yield schema
            yield from schemas_below(schema)

    ours = {schema for schema in schemas_below(BaseModel) if schema.__module__.startswith(("api.", "runs."))}
    names = [schema.__name__ for schema in ours]
    assert {"BehaviourChange", "LaunchIn"} <= set(names)
    assert sorted(names) == sorted(set(names))
