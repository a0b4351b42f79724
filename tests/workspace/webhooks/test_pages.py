"""Pages of webhooks: owners create, test, pause, rotate and delete them; other roles see none."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEntry
from tests.workspace.webhooks.receiver import Respond
from workspace.webhooks.models import Delivery, Webhook
from workspace.webhooks.services import MOST_WEBHOOKS, webhook_create, webhook_test

NEW = "/organization/webhooks/new/"
POLLS = 'id="delivery-list" data-poll'


def test_the_secret_is_displayed_once_in_the_answer_that_creates_it(page, receiver):
    response = page.post(NEW, {"url": receiver.url, "events": ["run.finished", "budget.alert"]})
    secret = re.search(r"whsec_[\w-]{20,}", response.text)[0]
    assert response.status_code == 200 and "no-store" in response["Cache-Control"]
    hook = Webhook.objects.get()
    assert hook.events == ["run.finished", "budget.alert"]
    assert secret not in page.get(f"/organization/webhooks/{hook.pk}/").text
    response = page.post(f"/organization/webhooks/{hook.pk}/secret/")
    new = re.search(r"whsec_[\w-]{20,}", response.text)[0]
    assert new != secret and "The previous secret also signs until" in response.text


def test_an_invalid_webhook_form_explains_each_error(page):
    for typed, said in (
        ({"events": ["run.failed"]}, "Type the address of the receiver."),
        ({"url": "nonsense", "events": ["run.failed"]}, "The address must start with http:// or https://"),
        ({"url": "http://127.0.0.1:1/"}, "Choose at least one of the events."),
        ({"url": "http://127.0.0.1:1/", "events": ["ping"]}, "Choose at least one of the events."),
    ):
        response = page.post(NEW, typed)
        assert response.status_code == 422 and said in response.text
    assert not Webhook.objects.exists()
    text = page.get("/organization/webhooks/").text
    assert "No webhooks yet." in text and "Add a webhook" in text


def test_an_organization_has_at_most_ten_webhooks(page, owner, receiver):
    for _ in range(MOST_WEBHOOKS):
        webhook_create(actor=owner, url=receiver.url, events=["run.failed"])
    response = page.post(NEW, {"url": receiver.url, "events": ["run.failed"]})
    assert response.status_code == 422 and "at most 10 webhooks" in response.text
    assert 'href="/organization/webhooks/new/"' not in page.get("/organization/webhooks/").text


def test_a_test_describes_the_answer(page, hook, receiver):
    address = f"/organization/webhooks/{hook.pk}/test/"
    receiver.script = Respond(200, b"<script>alert(1)</script> Noted.")
    text = page.post(address, follow=True).text
    assert "It works: the test was answered 200 in" in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; Noted." in text and "<script>alert" not in text
    receiver.script = Respond(404)
    assert "The test did not arrive. It answered 404" in page.post(address, follow=True).text


def test_a_webhook_is_controlled_on_its_page_and_the_log_has_only_its_host(page, hook, receiver, alice):
    AuditEntry.objects.all().delete()
    here = f"/organization/webhooks/{hook.pk}/"
    page.post(f"{here}pause/")
    assert "Paused" in page.get(here).text and "Resume" in page.get(here).text
    page.post(f"{here}resume/")
    moved = receiver.url.replace("/hook", "/secret-path")
    page.post(f"{here}change/", {"url": moved, "events": ["run.failed"]})
    hook.refresh_from_db()
    assert (hook.url, hook.events, hook.paused_at) == (moved, ["run.failed"], None)
    page.post(f"{here}secret/")
    page.post(f"{here}delete/")
    assert not Webhook.objects.exists()
    entries = list(AuditEntry.objects.order_by("id").values_list("action", "actor_name", "subject"))
    done = "webhook.paused webhook.resumed webhook.changed webhook.secret webhook.removed"
    assert [action for action, _, _ in entries] == done.split()
    assert {name for _, name, _ in entries} == {"alice"}
    assert "secret-path" not in str(entries) and "127.0.0.1" in str(entries)


@pytest.mark.long
def test_a_delivery_is_resent_by_hand_but_not_under_another_webhook(page, hook, owner, receiver, played, deliver_due):
    played("random")
    deliver_due()
    delivery = Delivery.objects.first()
    here = f"/organization/webhooks/{hook.pk}/"
    assert "is being sent again" in page.post(f"{here}deliveries/{delivery.pk}/resend/", follow=True).text
    assert POLLS in page.get(here).text
    assert deliver_due() == 1 and len(receiver.got) == 3
    assert POLLS not in page.get(here).text
    page.post(f"{here}pause/")
    refused = page.post(f"{here}deliveries/{delivery.pk}/resend/", follow=True).text
    assert "The webhook is paused; resume it first." in refused
    other, _ = webhook_create(actor=owner, url=receiver.url, events=["run.failed"])
    resend = f"/organization/webhooks/{other.pk}/deliveries/{delivery.pk}/resend/"
    assert page.post(resend).status_code == 404


@pytest.mark.long
def test_deliveries_are_paged_and_filtered(page, hook):
    for _ in range(26):
        webhook_test(webhook=hook)
    here = f"/organization/webhooks/{hook.pk}/"
    assert "1–25 of 26" in page.get(here).text
    assert "No delivery has this state." in page.get(here, {"state": "failed"}).text
    for nonsense in ("?page=x", "?state=%00", "?page=99999999999"):
        assert page.get(here + nonsense).status_code == 200


@pytest.mark.long
def test_query_counts_of_webhook_pages_do_not_grow(page, hook, owner, receiver):
    def queries(address):
        with CaptureQueriesContext(connection) as found:
            assert page.get(address).status_code == 200
        return len(found)

    webhook_test(webhook=hook)
    addresses = ("/organization/webhooks/", f"/organization/webhooks/{hook.pk}/")
    few = [queries(address) for address in addresses]
    for _ in range(5):
        other, _ = webhook_create(actor=owner, url=receiver.url, events=["run.failed"])
        webhook_test(webhook=other)
        webhook_test(webhook=hook)
    assert [queries(address) for address in addresses] == few == [5 + 2, 5 + 3]
