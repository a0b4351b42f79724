"""Provider keys are sealed, bound to their endpoint, and never shown."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from accounts.models import Endpoint
from accounts.secrets import KeyUnreadable
from accounts.services import endpoint_create, endpoint_key, endpoint_set_key

KEY = "sk-canary-0123456789"
pytestmark = pytest.mark.django_db


@pytest.fixture
def endpoint(organization):
    return endpoint_create(
        organization=organization,
        name="House",
        provider="openai-compatible",
        base_url="https://models.test/v1",
        key=KEY,
    )


def test_a_key_comes_back_only_to_call_its_endpoint(endpoint):
    assert endpoint_key(endpoint) == KEY
    assert endpoint.key_last_four == "6789"
    assert KEY.encode() not in bytes(endpoint.sealed_key)


def test_a_key_does_not_open_under_another_address(endpoint):
    endpoint.base_url = "https://elsewhere.test/v1"
    with pytest.raises(KeyUnreadable):
        endpoint_key(endpoint)


def test_a_copied_key_does_not_open_in_another_organization(endpoint, alice):
    from accounts.services import organization_create

    other = organization_create(name="Other", slug="other", owner=alice)
    copy = Endpoint.objects.create(
        organization=other,
        name="House",
        provider=endpoint.provider,
        base_url=endpoint.base_url,
        sealed_key=endpoint.sealed_key,
    )
    with pytest.raises(KeyUnreadable):
        endpoint_key(copy)


def test_an_empty_key_removes_the_old_one(endpoint):
    endpoint_set_key(endpoint=endpoint, key="")
    assert endpoint_key(endpoint) == ""
    assert not endpoint.has_key


def test_the_environment_is_used_only_where_the_owner_allowed_it(organization, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    endpoint = Endpoint.objects.get(organization=organization, provider="openai")
    assert endpoint_key(endpoint) == KEY
    organization.allow_environment_keys = False
    organization.save()
    assert endpoint_key(Endpoint.objects.get(pk=endpoint.pk)) == ""


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ftp://models.test",
        "http://",
        "https://user@models.test",
        "https://models.test/?a=1",
        "http://[::1",
        "https://a b",
    ],
)
def test_addresses_that_are_none_are_refused_in_a_sentence(organization, address):
    with pytest.raises(ValidationError) as error:
        endpoint_create(organization=organization, name="House", provider="openai-compatible", base_url=address)
    assert list(error.value.message_dict) == ["base_url"]


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:8080/v1", "http://169.254.169.254", "http://[::1]/v1", "http://10.0.0.8"]
)
def test_private_addresses_are_refused_where_they_are_not_allowed(organization, settings, address):
    settings.ALLOW_PRIVATE_ENDPOINTS = False
    with pytest.raises(ValidationError) as error:
        endpoint_create(organization=organization, name="House", provider="openai-compatible", base_url=address)
    assert "private" in error.value.message_dict["base_url"][0]
