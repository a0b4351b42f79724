"""Requests generated from the OpenAPI document get documented answers and no server error.

`ECONEVALS_API_EXAMPLES` sets how many requests are tried for each operation.
"""

import os
import re

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from analysis.notes.models import NotesAnalysis
from api.protocol.describing import description
from runs.engine.advance import advance

EXAMPLES = int(os.environ.get("ECONEVALS_API_EXAMPLES", "5"))
TRIED = {"max_examples": EXAMPLES, "database": None, "suppress_health_check": list(HealthCheck)}
RIGHT, WRONG = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
ASKED = [("editor", RIGHT), ("owner", WRONG), ("owner", RIGHT), ("editor", WRONG), ("viewer", RIGHT), ("viewer", WRONG)]
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


@pytest.fixture(autouse=True)
def _one_connection():
    """Requests run in the transaction of the test, so the server must not close its connection after each."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def there(launch, saved):
    """Objects whose ids and names generated requests use."""
    run = launch("random", "gpt-5").runs.get(agent__slug="random")
    advance(run.pk)
    numbers = {"experiment_id": run.experiment_id, "run_id": run.pk, "instance_id": run.instance_id}
    filters = {"environment": run.instance.environment}
    numbers["analysis_id"] = NotesAnalysis.objects.create(organization=run.organization, name="Ours", filter=filters).pk
    return numbers | {"leaderboard_id": saved("Ours").pk, "index": 0, "slug": "random"}


@pytest.fixture
def asking(role, program, join, owner):
    """A token of a member in a role, with all scopes that the role allows."""
    return program(owner if role == "owner" else join(role, role))


@pytest.fixture
def schema(settings):
    settings.API_REQUESTS_A_MINUTE = 10**9
    loaded = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", WSGIHandler())
    loaded.config.checks.negative_data_rejection.expected_statuses.append("413")  # Of a body over 1 MiB.
    return loaded


@pytest.mark.long
@pytest.mark.parametrize(("role", "mode"), ASKED)
def test_generated_requests_get_documented_answers(asking, there, mode, schema):
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 30
    for operation in operations:
        if mode in modes_of(operation):
            try_out(operation, mode, asking, there)


def modes_of(operation):
    """An operation without inputs has no invalid requests."""
    return {RIGHT, WRONG} if operation.body or operation.query or operation.path_parameters else {RIGHT}


def try_out(operation, mode, program, there):
    """Half of the right requests are about things that are there."""

    @settings(**TRIED)
    @given(case=operation.as_strategy(generation_mode=mode))
    def asked(case):
        if mode is RIGHT and len(str(case.path_parameters)) % 2:
            case.path_parameters = {name: there.get(name, value) for name, value in case.path_parameters.items()}
        with transaction.atomic():
            response = case.call(headers=program.headers)
            transaction.set_rollback(True)
        case.validate_response(response, checks=CHECKS)

    asked()


@pytest.mark.long
def test_generated_sequences_of_requests_get_documented_answers(owning, there, schema):
    """Sequences of requests, in which later ones take their numbers from the answers to earlier ones."""

    class Sequence(schema.as_state_machine()):
        def get_call_kwargs(self, case):
            return {"headers": owning.headers}

        def validate_response(self, response, case, **options):
            case.validate_response(response, checks=CHECKS)

    Sequence.run(settings=settings(stateful_step_count=10, **TRIED))


def test_the_document_states_scopes_and_possible_answers_of_every_operation():
    document = description()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            place = f"{method} {path}"
            assert operation["summary"] and operation["tags"] and operation["security"], place
            assert re.search("Scope: `|the token of a seat", operation["description"]), place
            assert {"401", "403", "422", "429"} <= set(operation["responses"]), place
    assert not any(
        "title" in part and not part.get("properties", True) for part in document["components"]["schemas"].values()
    )
