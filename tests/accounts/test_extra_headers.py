"""Extra headers of an endpoint are sealed like its key, never displayed again, and alter no other part of a request."""

import pytest
from django.core.exceptions import ValidationError

from accounts.models import AuditEntry, Endpoint
from accounts.secrets import KeyUnreadable
from accounts.services.endpoints import (
    endpoint_create,
    endpoint_headers,
    endpoint_key,
    endpoint_move,
    endpoint_set_headers,
    endpoint_set_key,
)
from accounts.services.keys import keys_rotate
from tests.accounts.conftest import KEY

SECRET = "azure-canary-9876543210"
HEADERS = f"api-key: {SECRET}\r\nX-Title: Market Lab\r\n"
OTHER_URL = "https://models.test/other/v1"


@pytest.fixture
def gateway(endpoint):
    """The endpoint with extra headers besides its key."""
    endpoint_set_headers(endpoint=endpoint, headers=HEADERS)
    return Endpoint.objects.get(pk=endpoint.pk)


def refused(service, **values):
    with pytest.raises(ValidationError) as error:
        service(**values)
    ((field, (sentence,)),) = error.value.message_dict.items()
    return field, sentence


def test_sealed_headers_open_only_for_their_endpoint_and_only_as_headers(gateway, other):
    assert endpoint_headers(gateway) == (("api-key", SECRET), ("X-Title", "Market Lab"))
    assert SECRET.encode() not in bytes(gateway.sealed_headers) and gateway.header_names == ["api-key", "X-Title"]
    values = {name: getattr(gateway, name) for name in ("organization", "provider", "base_url", "sealed_headers")}
    for changed in ({"base_url": "https://elsewhere.test/v1"}, {"organization": other.organization}):
        with pytest.raises(KeyUnreadable):
            endpoint_headers(Endpoint(**values | changed))
    with pytest.raises(KeyUnreadable):
        endpoint_key(Endpoint(**values, sealed_key=gateway.sealed_headers))
    with pytest.raises(KeyUnreadable):
        endpoint_headers(Endpoint(**values | {"sealed_headers": gateway.sealed_key}))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("api-key", "Line 1 is not a header"),
        ("api-key:", "Line 1 is not a header"),
        ("api key: v", "Line 1 is not a header"),
        (": v", "Line 1 is not a header"),
        ("a: v\rHost: evil.test", "Line 1 is not a header"),
        ("a: v\x0bHost: evil.test", "Line 1 is not a header"),
        ("a: v\x00", "Line 1 is not a header"),
        ("a: schlüssel", "Line 1 is not a header"),
        *((f"{name}: v", f"{name} is set by EconEvals") for name in ("Host", "CONNECTION", "transfer-encoding")),
        *((f"{name}: v", f"{name} is set by EconEvals") for name in ("Content-Length", "Content-Type", "Upgrade")),
        *((f"{name}: v", f"{name} is set by EconEvals") for name in ("Proxy-Authorization", "Accept-Encoding")),
        ("a: 1\nA: 2", "A is given twice."),
        ("\n".join(f"x-{number}: v" for number in range(11)), "at most 10 extra headers; these are 11"),
        (f"a: {'v' * 4096}", "at most 4,096 bytes"),
    ],
    ids=repr,
)
def test_invalid_headers_and_headers_that_change_the_request_are_refused(endpoint, line, reason):
    field, sentence = refused(endpoint_set_headers, endpoint=endpoint, headers=line)
    assert field == "headers" and reason in sentence
    assert Endpoint.objects.get(pk=endpoint.pk).header_names == []


def test_a_key_is_sent_once(endpoint, organization, monkeypatch):
    for name in ("Authorization", "x-api-key"):
        field, sentence = refused(endpoint_set_headers, endpoint=endpoint, headers=f"{name}: Bearer {SECRET}")
        assert field == "headers" and f"The key is sent as {name}" in sentence
    endpoint_set_key(endpoint=endpoint, key="")
    endpoint_set_headers(endpoint=endpoint, headers=f"Authorization: Bearer {SECRET}")
    assert refused(endpoint_set_key, endpoint=endpoint, key=KEY)[0] == "key"
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    own = organization.endpoints.get(name="OpenAI")
    assert refused(endpoint_set_headers, endpoint=own, headers=f"Authorization: Bearer {SECRET}")[0] == "headers"


def test_changing_the_address_requires_the_headers_again(gateway):
    field, sentence = refused(endpoint_move, endpoint=gateway, base_url=OTHER_URL, key=KEY)
    assert (field, sentence) == ("headers", "The extra headers belong to the old address. Type those of the new one.")
    assert refused(endpoint_move, endpoint=gateway, base_url=OTHER_URL, key=KEY, headers="Host: a")[0] == "headers"
    assert Endpoint.objects.get(pk=gateway.pk).base_url == gateway.base_url
    endpoint_move(endpoint=gateway, base_url="https://elsewhere.test/v1", key=KEY, headers="api-key: new")
    assert endpoint_headers(Endpoint.objects.get(pk=gateway.pk)) == (("api-key", "new"),)


def test_headers_are_rotated_with_the_keys(gateway, settings):
    settings.KEY_SECRETS = ["the-new-secret", "the-old-secret"]
    assert keys_rotate().renewed == 2
    settings.KEY_SECRETS = ["the-new-secret"]
    gateway.refresh_from_db()
    assert endpoint_headers(gateway)[0] == ("api-key", SECRET) and endpoint_key(gateway) == KEY


def test_an_empty_text_removes_the_headers(gateway):
    endpoint_set_headers(endpoint=gateway, headers=" \n")
    assert endpoint_headers(gateway) == () and not gateway.sealed_headers and gateway.header_names == []


def test_pages_and_the_audit_log_name_headers_and_never_their_values(page, organization, caplog):
    caplog.set_level("DEBUG")
    typed = {"name": "Azure", "provider": "openai-compatible", "base_url": "https://models.test/v1", "headers": HEADERS}
    shown = [page.post("/agents/endpoints/new/", typed | {"name": ""}), page.post("/agents/endpoints/new/", typed)]
    endpoint = organization.endpoints.get(name="Azure")
    address = f"/agents/endpoints/{endpoint.pk}/headers/"
    shown += [page.post(address, {"headers": f"Host: {SECRET}"}), page.get(address), page.get("/agents/endpoints/")]
    assert "Stored: api-key, X-Title." in shown[-2].text and "api-key, X-Title" in shown[-1].text
    assert "API key not required" in shown[-1].text
    endpoint_set_headers(endpoint=endpoint, headers="X-Title: Market Lab")
    text = page.get("/agents/endpoints/").text
    assert "Headers X-Title" in text and "API key not required" not in text
    endpoint_set_headers(endpoint=endpoint, headers="")
    shown += [page.get("/organization/audit/"), page.get(f"/agents/endpoints/{endpoint.pk}/address/")]
    subjects = AuditEntry.objects.filter(action="headers.changed").order_by("id").values_list("subject", flat=True)
    assert list(subjects) == ["Azure: api-key, X-Title", "Azure: X-Title", "Azure: none"]
    for answer in shown:
        assert SECRET not in answer.text and "Market Lab\r" not in answer.text
    assert SECRET not in caplog.text and SECRET not in str(list(AuditEntry.objects.values()))


def test_a_new_endpoint_has_its_headers_at_once(organization):
    values = {"name": "Gateway", "provider": "anthropic", "base_url": "https://models.test"}
    made = endpoint_create(organization=organization, headers="x-api-key: abc", **values)
    assert endpoint_headers(Endpoint.objects.get(pk=made.pk)) == (("x-api-key", "abc"),)
