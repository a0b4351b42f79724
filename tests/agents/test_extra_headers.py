"""Extra headers of an endpoint are sent with every request and masked like the key in replies and errors."""

import pytest

from agents.errors import ProviderFatal
from agents.options import LLMOptions
from agents.providers.client import Client
from tests.agents.conftest import KEY, request_of
from tests.stub_provider import StubAnswer, StubProvider

pytestmark = pytest.mark.long

SECRET = "gateway-canary-0123456789"
HEADERS = (("Api-Key", SECRET), ("X-Title", "Start"), ("Ocp-Token", f"Bearer {SECRET[::-1]}"))


@pytest.fixture(params=["anthropic", "openai"])
def asked(request):
    """What one query came to, and the headers of the request. The answer is made from the headers."""

    def ask(answer, *headers, key=KEY):
        sent = []

        def script(wire, body, received):
            sent.append(received)
            return answer(received)

        provider = {"anthropic": "anthropic", "openai": "openai-compatible"}[request.param]
        with StubProvider(script) as stub:
            options = LLMOptions(provider, "any-model", base_url=stub.base_url(request.param), timeout_seconds=10.0)
            client = Client(options, key, headers=headers)
            try:
                return client.query(request_of()), sent[-1]
            except ProviderFatal as error:
                return error, sent[-1]

    return ask


def test_every_request_has_the_headers_of_its_endpoint_and_its_key(asked):
    _, sent = asked(lambda _: StubAnswer(text="Hi"), *HEADERS)
    assert (sent["api-key"], sent["x-title"], sent["authorization"]) == (SECRET, "Start", f"Bearer {KEY}")


def test_secret_header_values_are_masked_in_replies_and_errors(asked):
    told = lambda sent: f"{sent['api-key']} {sent['x-title']} {sent['ocp-token'].removeprefix('Bearer ')}"  # noqa: E731
    reply, _ = asked(lambda sent: StubAnswer(text=told(sent)), *HEADERS)
    assert reply.text == "[key] Start [key]"
    error, _ = asked(lambda sent: StubAnswer(status=400, error=told(sent)), *HEADERS)
    assert error.reason.endswith("[key] Start [key]")


def test_headers_authenticate_a_request_without_a_key(asked):
    _, sent = asked(lambda _: StubAnswer(text="Hi"), ("api-key", SECRET), key="")
    assert sent["api-key"] == SECRET and "authorization" not in sent and "x-api-key" not in sent
    _, sent = asked(lambda _: StubAnswer(text="Hi"), ("authorization", f"Basic {SECRET}"), key="")
    assert sent["authorization"] == f"Basic {SECRET}"
    _, sent = asked(lambda _: StubAnswer(text="Hi"), ("X-Api-Key", SECRET), key="")
    assert sent["x-api-key"] == SECRET and "authorization" not in sent


def test_a_header_never_replaces_the_key(asked):
    _, sent = asked(lambda _: StubAnswer(text="Hi"), ("Authorization", "Bearer other"), ("x-api-key", "other"))
    assert sent["authorization"] == f"Bearer {KEY}" and sent.get("x-api-key", KEY) == KEY
