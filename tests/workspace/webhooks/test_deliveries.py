"""Deliveries arrive at least once: retried for hours by one sender at a time, until accepted or failed."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from accounts.deletions import kinds
from accounts.models import AuditEntry
from accounts.services import organization_create, organization_delete
from accounts.services.deletions import row_erase
from runs.models import Experiment
from runs.services import experiment_delete
from tests.workspace.webhooks.receiver import Receiver, Respond
from workspace.webhooks import payloads, services
from workspace.webhooks.delivery import deliveries
from workspace.webhooks.models import Delivery, Event, EventKind, Webhook


@pytest.fixture
def finished(hook, played):
    """A waiting delivery of a finished run, the only subscribed event."""
    Webhook.objects.update(events=["run.finished"])
    played("random")
    return Delivery.objects.get()


def wait_of(delivery):
    return (delivery.due_at - timezone.now()).total_seconds()


def test_an_accepted_message_is_delivered_once(hook, played, receiver, deliver_due, time_passes):
    played("pricing-constant")
    assert deliver_due() == 2
    time_passes()
    assert deliver_due() == 0
    assert sorted(receiver.kinds) == ["experiment.finished", "run.finished"]
    first = receiver.got[0]
    assert first.headers["content-type"] == "application/json"
    assert first.headers["econevals-event"] == first.json["type"]
    assert first.headers["econevals-event-id"] == first.json["id"]
    assert first.path == "/hook"
    assert [(d.state, d.status, d.answer) for d in Delivery.objects.all()] == [("delivered", 200, "Thanks.")] * 2


@pytest.mark.long
def test_a_failing_delivery_is_retried_for_hours_and_then_given_up(finished, receiver, deliver_due, time_passes):
    receiver.script = Respond(500, b"Out of order.")
    for attempt, seconds in enumerate(deliveries.RETRY_SECONDS, start=1):
        assert deliver_due() == 1
        finished.refresh_from_db()
        assert (finished.state, finished.attempts, finished.status) == ("waiting", attempt, 500)
        assert finished.answer == "Out of order." and "answered 500" in finished.problem
        assert wait_of(finished) == pytest.approx(seconds, abs=5)
        assert deliver_due() == 0
        time_passes()
    assert deliver_due() == 1
    finished.refresh_from_db()
    assert (finished.state, finished.attempts) == ("failed", len(deliveries.RETRY_SECONDS) + 1)
    assert deliveries.RETRY_SECONDS == (10, 60, 300, 1800, 7200, 21600)
    assert len({got.body for got in receiver.got}) == 1


def test_a_recovered_receiver_gets_the_waiting_deliveries(finished, receiver, hook, deliver_due, time_passes):
    Webhook.objects.update(failures=deliveries.MOST_FAILURES - 2)
    receiver.script = Respond(503)
    deliver_due()
    receiver.script = Respond(204, b"")
    time_passes()
    deliver_due()
    finished.refresh_from_db()
    hook.refresh_from_db()
    assert (finished.state, finished.status, finished.problem, hook.failures) == ("delivered", 204, "", 0)


def test_two_workers_never_send_a_message_simultaneously(finished, receiver):
    claim = deliveries.claim_next()
    assert claim is not None and deliveries.claim_next() is None
    finished.refresh_from_db()
    assert wait_of(finished) == pytest.approx(deliveries.LEASE_SECONDS, abs=5)
    deliveries.deliver(claim)
    assert len(receiver.got) == 1


def test_a_sender_that_lost_its_claim_writes_nothing(finished, receiver, time_passes):
    stopped = deliveries.claim_next()
    time_passes()
    second = deliveries.claim_next()
    assert second.attempt == 2
    receiver.script = Respond(500)
    deliveries.deliver(stopped)
    finished.refresh_from_db()
    assert (finished.state, finished.attempts, finished.status) == ("waiting", 2, None)
    receiver.script = Respond(200)
    deliveries.deliver(second)
    finished.refresh_from_db()
    assert (finished.state, finished.status) == ("delivered", 200)


@pytest.mark.long
def test_fifty_failures_disable_a_webhook(finished, hook, receiver, deliver_due, time_passes, page, played):
    receiver.script = Respond(500)
    Webhook.objects.update(failures=deliveries.MOST_FAILURES - 1)
    deliver_due()
    hook.refresh_from_db()
    assert hook.paused_at and hook.off_reason.startswith("50 attempts in a row failed. The last one: It answered 500")
    assert AuditEntry.objects.get(action="webhook.off").actor is None
    for address in ("/organization/webhooks/", f"/organization/webhooks/{hook.pk}/"):
        assert "Switched off" in page.get(address).text
    assert "he last one: It answered 500" in page.get(f"/organization/webhooks/{hook.pk}/").text
    time_passes()
    assert deliver_due() == 0
    played("random", seeds=(7,))
    assert Event.objects.count() == 1


@pytest.mark.parametrize("status", [200, 500])
def test_a_person_can_resend_a_delivery_in_any_state(finished, receiver, deliver_due, time_passes, status):
    receiver.script = Respond(status)
    for _ in range(10):
        deliver_due()
        time_passes()
    before = len(receiver.got)
    finished.refresh_from_db()
    assert finished.state != "waiting"
    receiver.script = Respond(500)
    services.delivery_resend(delivery=finished)
    assert deliver_due() == 1 and len(receiver.got) == before + 1
    finished.refresh_from_db()
    assert finished.state == "waiting" and wait_of(finished) == pytest.approx(10, abs=5)


def test_a_test_is_sent_at_once_and_never_retried(hook, receiver, deliver_due, time_passes):
    answer = services.webhook_test(webhook=hook)
    assert answer.ok and receiver.kinds == ["ping"]
    receiver.script = Respond(500)
    assert "answered 500" in services.webhook_test(webhook=hook).problem
    time_passes()
    assert deliver_due() == 0
    hook.refresh_from_db()
    assert hook.failures == 0
    assert list(Delivery.objects.order_by("id").values_list("state", flat=True)) == ["delivered", "failed"]


def test_busy_organizations_are_skipped_and_claimed_deliveries_not_resent(finished, organization):
    assert deliveries.claim_next(busy=[organization.pk]) is None
    assert deliveries.claim_next(busy=[organization.pk + 1]) is not None
    services.delivery_resend(delivery=finished)
    assert deliveries.claim_next() is None


def test_events_are_deleted_after_thirty_days(finished, played):
    played("random", seeds=(8,))
    long_ago = Now() - timedelta(days=deliveries.KEPT_DAYS, minutes=1)
    Event.objects.filter(pk=finished.event_id).update(created_at=long_ago)
    assert deliveries.prune() == 1
    assert Event.objects.count() == Delivery.objects.count() == 1


def test_deleting_an_organization_deletes_its_webhooks_and_events(owner, finished, receiver, alice, deliver_due):
    organization_create(name="Another Lab", owner=alice)
    claim = deliveries.claim_next()
    organization_delete(actor=owner, typed_name=owner.organization.name)
    assert not Webhook.objects.exists() and not Event.objects.exists() and not Delivery.objects.exists()
    assert deliveries.deliver(claim) is None and deliver_due() == 0
    assert receiver.got == []


def test_a_resumed_webhook_sends_waiting_deliveries_and_a_deleted_webhook_none(owner, hook, finished, deliver_due):
    services.webhook_pause(actor=owner, webhook=hook)
    assert deliver_due() == 0
    services.webhook_resume(actor=owner, webhook=hook)
    assert deliver_due() == 1
    services.delivery_resend(delivery=finished)
    services.webhook_delete(actor=owner, webhook=hook)
    assert deliver_due() == 0


def test_each_webhook_gets_a_copy_and_a_failing_webhook_delays_no_other(owner, hook, played, deliver_due):
    with Receiver(Respond(500)) as broken:
        services.webhook_create(actor=owner, url=broken.url, events=["run.finished"])
        played("random")
        deliver_due()
        assert broken.kinds == ["run.finished"]
    states = Delivery.objects.order_by("id").values_list("webhook__url", "event__kind", "state")
    assert sorted(state for url, _, state in states if url == hook.url) == ["delivered", "delivered"]
    assert [state for url, _, state in states if url != hook.url] == ["waiting"]


def test_events_are_removed_with_their_experiment(alice, hook, finished, played):
    other = played("random", seeds=(8,))
    experiment = Experiment.objects.exclude(pk=other.pk).get()
    about_month = payloads.event(hook.organization, EventKind.BUDGET_ALERT, {})
    about_month.save()
    experiment_delete(experiment=experiment, actor=alice)
    experiment.refresh_from_db()
    assert row_erase(kind=kinds["experiment"], row=experiment, actor=alice)
    assert {*Event.objects.values_list("experiment", flat=True)} == {other.pk, None}
    assert not Delivery.objects.filter(pk=finished.pk).exists()
    assert not Event.objects.filter(body__contains=f"/experiments/{experiment.pk}/").exists()
