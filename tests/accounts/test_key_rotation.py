"""The secret of stored keys is exchanged without a pause, and twice does no harm; a key never follows an address."""

from __future__ import annotations

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.management import call_command

from accounts.outbox import message_queue, notices_send
from accounts.secrets import KeyUnreadable, seal_text, unseal_text
from accounts.services import endpoint_create, endpoint_key, endpoint_move, keys_rotate

pytestmark = pytest.mark.django_db
KEY = "sk-canary-0123456789"
OLD, NEW = "the-old-secret", "the-new-secret"


@pytest.fixture
def endpoint(organization, settings):
    settings.KEY_SECRETS = [OLD]
    return endpoint_create(
        organization=organization,
        name="House",
        provider="openai-compatible",
        base_url="https://models.test/v1",
        key=KEY,
    )


def test_keys_open_before_during_and_after_a_rotation(endpoint, settings):
    settings.KEY_SECRETS = [NEW, OLD]
    assert endpoint_key(endpoint) == KEY
    assert keys_rotate().renewed == 1
    endpoint.refresh_from_db()
    assert endpoint_key(endpoint) == KEY
    settings.KEY_SECRETS = [NEW]
    assert endpoint_key(endpoint) == KEY


def test_rotating_again_changes_nothing(endpoint, settings):
    settings.KEY_SECRETS = [NEW, OLD]
    keys_rotate()
    endpoint.refresh_from_db()
    sealed = bytes(endpoint.sealed_key)
    again = keys_rotate()
    endpoint.refresh_from_db()
    assert (again.renewed, again.current, again.unreadable) == (0, 1, 0)
    assert bytes(endpoint.sealed_key) == sealed


def test_two_factor_secrets_are_rotated_too(endpoint, alice, settings):
    row = Authenticator.objects.create(user=alice, type="totp", data={"secret": seal_text("JBSWY3DP")})
    settings.KEY_SECRETS = [NEW, OLD]
    assert keys_rotate().renewed == 2
    row.refresh_from_db()
    settings.KEY_SECRETS = [NEW]
    assert unseal_text(row.data["secret"]) == "JBSWY3DP"


def test_messages_that_wait_are_rotated_too(db, settings):
    settings.KEY_SECRETS, settings.MAIL_WORKS = [OLD], True
    message_queue(to="ada@example.org", subject="Hello", text="A link")
    settings.KEY_SECRETS = [NEW, OLD]
    assert keys_rotate().renewed == 1
    settings.KEY_SECRETS = [NEW]
    notices_send()
    assert [message.body for message in mail.outbox] == ["A link"]


def test_a_key_whose_secret_is_gone_is_told_of_and_left_alone(endpoint, settings, capsys):
    settings.KEY_SECRETS = [NEW]
    with pytest.raises(SystemExit):
        call_command("rotate_keys")
    said = capsys.readouterr()
    assert "1 cannot be read" in said.out and KEY not in said.out + said.err
    settings.KEY_SECRETS = [OLD]
    endpoint.refresh_from_db()
    assert endpoint_key(endpoint) == KEY


@pytest.mark.parametrize("address", ["https://evil.test/v1", "https://models.test/someone-else/v1"])
def test_a_new_address_asks_for_the_key_again(endpoint, address):
    with pytest.raises(ValidationError) as error:
        endpoint_move(endpoint=endpoint, base_url=address)
    assert "Type the key of the new one" in error.value.message_dict["key"][0]
    endpoint.refresh_from_db()
    assert endpoint.base_url == "https://models.test/v1" and endpoint_key(endpoint) == KEY


def test_a_new_address_with_its_key_is_taken_and_the_old_key_is_gone(endpoint):
    endpoint_move(endpoint=endpoint, base_url="https://other.test/v1", key="sk-other-0123456")
    endpoint.refresh_from_db()
    assert endpoint_key(endpoint) == "sk-other-0123456"
    endpoint.base_url = "https://models.test/v1"
    with pytest.raises(KeyUnreadable):
        endpoint_key(endpoint)


def test_the_address_page_says_that_another_address_needs_its_key(endpoint, page):
    address = f"/agents/endpoints/{endpoint.pk}/address/"
    response = page.post(address, {"base_url": "https://evil.test/v1", "key": ""})
    assert response.status_code == 422
    assert "Type the key of the new one" in response.content.decode()
    assert page.post(address, {"base_url": "https://other.test/v1", "key": "sk-other-0123456"}).status_code == 302
    endpoint.refresh_from_db()
    assert endpoint.base_url == "https://other.test/v1"
