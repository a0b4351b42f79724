"""The verification code of docs/webhooks.md accepts our messages and rejects others."""

import re
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import AuditEntry
from accounts.secrets import KeyUnreadable, unseal
from accounts.services.keys import keys_rotate
from tests.data_folders import ROOT
from workspace.webhooks.delivery.sending import secret_context, signature_header, valid_secrets
from workspace.webhooks.models import Webhook
from workspace.webhooks.services import webhook_create, webhook_rotate, webhook_test

DOCUMENT = ROOT / "docs" / "webhooks.md"


@pytest.fixture
def is_genuine():
    """The example of the documentation, as it stands there."""
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    names = {}
    exec(code, names)  # noqa: S102
    return names["is_genuine"]


def arrived(hook, receiver):
    webhook_test(webhook=Webhook.objects.get(pk=hook.pk))
    return receiver.got[-1].headers["econevals-signature"], receiver.got[-1].body


def test_the_documented_example_accepts_only_our_messages(hook, receiver, is_genuine):
    header, body = arrived(hook, receiver)
    assert is_genuine(header, body, hook.secret)
    assert not is_genuine(header, body + b" ", hook.secret)
    assert not is_genuine(header, body, hook.secret + "x")
    assert not is_genuine(header.replace("t=", "t=1"), body, hook.secret)
    for nonsense in ("", "t=,v1=", "v1=abc", "t=x,v1=" + "0" * 64, header.partition(",")[0]):
        assert not is_genuine(nonsense, body, hook.secret)


def test_an_old_message_is_refused(is_genuine):
    old = int(time.time()) - 301
    assert not is_genuine(signature_header(["s"], old, b"{}"), b"{}", "s")
    assert is_genuine(signature_header(["s"], old + 60, b"{}"), b"{}", "s")


def test_a_signature_equals_its_stored_example():
    header = signature_header(["whsec_test"], 1_790_000_000, b'{"type": "ping"}')
    assert header == "t=1790000000,v1=9041576a42e1d4feb99c67d49c628de553dd69e8d75248e810276590c1bf903a"


def test_both_secrets_are_valid_for_a_day_after_a_rotation(hook, owner, receiver, is_genuine):
    new = webhook_rotate(actor=owner, webhook=hook)
    header, body = arrived(hook, receiver)
    assert is_genuine(header, body, new) and is_genuine(header, body, hook.secret)
    Webhook.objects.update(former_until=timezone.now() - timedelta(seconds=1))
    header, body = arrived(hook, receiver)
    assert is_genuine(header, body, new) and not is_genuine(header, body, hook.secret)
    hook.refresh_from_db()
    assert not hook.former_signs


def test_a_second_rotation_ends_the_first_secret_at_once(hook, owner, receiver, is_genuine):
    webhook_rotate(actor=owner, webhook=hook)
    webhook_rotate(actor=owner, webhook=hook)
    header, body = arrived(hook, receiver)
    assert header.count("v1=") == 2 and not is_genuine(header, body, hook.secret)


def test_each_webhook_has_its_own_encrypted_secret(hook, owner, receiver):
    _, other_secret = webhook_create(actor=owner, url=receiver.url, events=["run.failed"])
    assert other_secret != hook.secret and len(hook.secret) > 40
    for row in Webhook.objects.values():
        assert hook.secret.encode() not in bytes(row["sealed_secret"])
    assert hook.secret not in str(list(AuditEntry.objects.values()))


def test_a_secret_copied_to_another_organization_cannot_be_decrypted(hook, other, receiver):
    Webhook.objects.update(organization=other.organization)
    copied = Webhook.objects.get()
    with pytest.raises(KeyUnreadable):
        valid_secrets(copied)
    assert "cannot be read" in webhook_test(webhook=copied).problem
    assert receiver.got == []


def test_rotating_the_key_secret_reencrypts_webhook_secrets(owner, receiver, settings):
    settings.KEY_SECRETS = ["the-old-secret"]
    hook, secret = webhook_create(actor=owner, url=receiver.url, events=["run.failed"])
    new = webhook_rotate(actor=owner, webhook=hook)
    settings.KEY_SECRETS = ["the-new-secret", "the-old-secret"]
    assert keys_rotate().renewed == 2
    settings.KEY_SECRETS = ["the-new-secret"]
    hook.refresh_from_db()
    assert valid_secrets(hook) == [new, secret]
    assert unseal(bytes(hook.sealed_secret), secret_context(hook.organization_id)) == new
    assert (keys_rotate().renewed, keys_rotate().current) == (0, 2)
