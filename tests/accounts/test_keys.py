"""Provider keys are sealed, bound to their endpoint and never displayed. Their secret is rotated without downtime."""

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.management import call_command

from accounts.models import Endpoint
from accounts.outbox import message_queue, notices_send
from accounts.secrets import KeyUnreadable, seal_text, unseal_text
from accounts.services import endpoint_create, endpoint_key, endpoint_set_key, keys_rotate
from tests.accounts.conftest import KEY


def test_a_sealed_key_opens_only_for_its_endpoint(endpoint, other):
    assert endpoint_key(endpoint) == KEY and endpoint.key_last_four == "6789"
    assert KEY.encode() not in bytes(endpoint.sealed_key)
    for changed in ({"base_url": "https://elsewhere.test/v1"}, {"organization": other.organization}):
        values = {name: getattr(endpoint, name) for name in ("organization", "provider", "base_url", "sealed_key")}
        with pytest.raises(KeyUnreadable):
            endpoint_key(Endpoint(**values | changed))


def test_an_empty_key_removes_the_old_one(endpoint):
    endpoint_set_key(endpoint=endpoint, key="")
    assert endpoint_key(endpoint) == ""
    assert not endpoint.has_key


def test_environment_keys_are_used_only_if_the_organization_allows_them(organization, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    endpoint = Endpoint.objects.get(organization=organization, provider="openai")
    assert endpoint_key(endpoint) == KEY
    organization.allow_environment_keys = False
    organization.save()
    assert endpoint_key(Endpoint.objects.get(pk=endpoint.pk)) == ""


def test_invalid_and_private_addresses_are_refused_with_a_sentence(organization, settings):
    none = ("", "ftp://models.test", "http://", "https://user@models.test", "https://models.test/?a=1", "http://[::1")
    private = ("http://127.0.0.1:8080/v1", "http://169.254.169.254", "http://[::1]/v1", "http://10.0.0.8")
    for address in (*none, "https://a b", *private):
        settings.ALLOW_PRIVATE_ENDPOINTS = address not in private
        with pytest.raises(ValidationError) as error:
            endpoint_create(organization=organization, name="House", provider="openai-compatible", base_url=address)
        ((field, (said,)),) = error.value.message_dict.items()
        assert field == "base_url" and said and ("private" in said) == (address in private), address


OLD, NEW = "the-old-secret", "the-new-secret"


def test_keys_open_throughout_a_rotation_and_a_second_rotation_changes_nothing(endpoint, settings):
    settings.KEY_SECRETS = [NEW, OLD]
    assert endpoint_key(endpoint) == KEY
    assert keys_rotate().renewed == 1
    endpoint.refresh_from_db()
    assert endpoint_key(endpoint) == KEY
    sealed = bytes(endpoint.sealed_key)
    again = keys_rotate()
    assert (again.renewed, again.current, again.unreadable) == (0, 1, 0)
    settings.KEY_SECRETS = [NEW]
    endpoint.refresh_from_db()
    assert endpoint_key(endpoint) == KEY and bytes(endpoint.sealed_key) == sealed


def test_two_factor_secrets_are_rotated(endpoint, alice, settings):
    row = Authenticator.objects.create(user=alice, type="totp", data={"secret": seal_text("JBSWY3DP")})
    settings.KEY_SECRETS = [NEW, OLD]
    assert keys_rotate().renewed == 2
    row.refresh_from_db()
    settings.KEY_SECRETS = [NEW]
    assert unseal_text(row.data["secret"]) == "JBSWY3DP"


def test_queued_messages_are_rotated(db, settings):
    settings.KEY_SECRETS, settings.MAIL_WORKS = [OLD], True
    message_queue(to="ada@example.org", subject="Hello", text="A link")
    settings.KEY_SECRETS = [NEW, OLD]
    assert keys_rotate().renewed == 1
    settings.KEY_SECRETS = [NEW]
    notices_send()
    assert [message.body for message in mail.outbox] == ["A link"]


def test_an_unreadable_key_is_reported_and_left_unchanged(endpoint, settings, capsys):
    settings.KEY_SECRETS = [NEW]
    with pytest.raises(SystemExit):
        call_command("rotate_keys")
    said = capsys.readouterr()
    assert "1 cannot be read" in said.out and KEY not in said.out + said.err
    settings.KEY_SECRETS = [OLD]
    endpoint.refresh_from_db()
    assert endpoint_key(endpoint) == KEY


def test_changing_an_address_requires_a_key_that_replaces_the_old_key(endpoint, page):
    form, old = f"/agents/endpoints/{endpoint.pk}/address/", endpoint.base_url
    for address in ("https://evil.test/v1", "https://models.test/someone-else/v1"):
        response = page.post(form, {"base_url": address, "key": ""})
        assert response.status_code == 422
        assert "Type the key of the new one" in response.text
        endpoint.refresh_from_db()
        assert endpoint.base_url == old and endpoint_key(endpoint) == KEY
    typed = {"base_url": "https://other.test/v1", "key": "sk-other-0123456"}
    assert page.post(form, typed).status_code == 302
    endpoint.refresh_from_db()
    assert (endpoint.base_url, endpoint_key(endpoint)) == ("https://other.test/v1", "sk-other-0123456")
    endpoint.base_url = old
    with pytest.raises(KeyUnreadable):
        endpoint_key(endpoint)
