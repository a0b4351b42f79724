"""Due deliveries: claim and send them, record results, schedule retries, and delete old ones."""

import time
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import F
from django.db.models.functions import Now

from accounts.models import Action
from accounts.secrets import KeyUnreadable
from accounts.services.audit import audit_record
from infrastructure.transactions import let_go_of_connection, lock_rows, write_transaction
from workspace.webhooks.delivery.sending import Answer, send, signature_header, valid_secrets
from workspace.webhooks.models import Delivery, DeliveryState, Event, EventKind, Webhook
from workspace.webhooks.payloads import message_of

RETRY_SECONDS = (10, 60, 300, 1800, 7200, 21_600)
"""Waits after each attempt but the last: 10 s, 1 min, 5 min, 30 min, 2 h, 6 h."""

LEASE_SECONDS = 30
"""Seconds for which a claimed delivery is not claimed again. A request has a shorter deadline."""

MOST_FAILURES = 50
CANDIDATES = 16

KEPT_DAYS = 30
PRUNED_AT_ONCE = 500


@dataclass(frozen=True)
class Claim:
    """The right to send a delivery now. `attempt` is the number of this attempt."""

    delivery_id: int
    attempt: int
    organization_id: int


def claim_next(*, busy: Collection[int] = ()) -> Claim | None:
    """Claim the delivery that has been due longest. busy: ids of organizations to leave out"""
    due = Delivery.objects.filter(state=DeliveryState.WAITING, due_at__lte=Now())
    rows = due.filter(webhook__paused_at=None).exclude(webhook__organization__in=busy).order_by("due_at", "id")
    for delivery_id, attempts, organization_id in rows.values_list("id", "attempts", "webhook__organization")[
        :CANDIDATES
    ]:
        # The update requires the same number of attempts, so nothing is updated if another thread was faster.
        with write_transaction():
            if due.filter(pk=delivery_id, attempts=attempts).update(
                attempts=attempts + 1, due_at=Now() + timedelta(seconds=LEASE_SECONDS)
            ):
                return Claim(delivery_id, attempts + 1, organization_id)
    return None


def deliver(claim: Claim) -> Answer | None:
    """Send a claimed delivery and record the result. Returns None if the delivery was deleted."""
    delivery = Delivery.objects.select_related("webhook", "event").filter(pk=claim.delivery_id).first()
    if delivery is None:
        return None
    let_go_of_connection()
    event, body = delivery.event, message_of(delivery.event.body, delivery.webhook.form).encode()
    try:
        secrets = valid_secrets(delivery.webhook)
    except KeyUnreadable:
        answer = Answer(problem="The stored secret cannot be read. Create a new one.")
    else:
        answer = send(
            delivery.webhook.url,
            [
                ("Content-Type", "application/json"),
                ("Accept-Encoding", "identity"),
                ("User-Agent", "EconEvals-Webhook/1"),
                ("EconEvals-Event", event.kind),
                ("EconEvals-Event-Id", event.public_id),
                ("EconEvals-Attempt", str(claim.attempt)),
                ("EconEvals-Signature", signature_header(secrets, int(time.time()), body)),
            ],
            body,
        )
    _record(delivery, claim.attempt, answer)
    return answer


def _record(delivery: Delivery, attempt: int, answer: Answer) -> None:
    """Store the result of an attempt.

    Only the latest attempt is stored. The result of a slow attempt is lost if the delivery was
    claimed again.
    """
    is_test = delivery.event.kind == EventKind.PING
    tries = attempt - delivery.attempts_before
    state = DeliveryState.DELIVERED if answer.ok else DeliveryState.FAILED
    is_last = answer.ok or is_test or tries > len(RETRY_SECONDS)
    values: dict[str, Any] = {
        "status": answer.status,
        "seconds": answer.seconds,
        "answer": answer.text,
        "problem": answer.problem,
        "attempted_at": Now(),
    } | ({"state": state} if is_last else {"due_at": Now() + timedelta(seconds=RETRY_SECONDS[tries - 1])})
    with write_transaction():
        mine = Delivery.objects.filter(pk=delivery.pk, attempts=attempt, state=DeliveryState.WAITING)
        if not mine.update(**values) or is_test:
            return
        # Failures are counted until the next success. At MOST_FAILURES the webhook is paused.
        webhook = delivery.webhook
        rows = Webhook.objects.filter(pk=webhook.pk)
        if answer.ok:
            rows.filter(failures__gt=0).update(failures=0)
            return
        rows.update(failures=F("failures") + 1)
        reason = f"{MOST_FAILURES} attempts in a row failed. The last one: {answer.problem}"
        if rows.filter(failures__gte=MOST_FAILURES, paused_at=None).update(paused_at=Now(), off_reason=reason):
            audit_record(
                organization=webhook.organization,
                actor=None,
                action=Action.WEBHOOK_OFF,
                subject=f"{webhook.host}: {reason}",
            )


def prune() -> int:
    """Delete events older than KEPT_DAYS with their deliveries, in short transactions; return the number of events."""
    deleted = 0
    old = Event.objects.filter(created_at__lt=Now() - timedelta(days=KEPT_DAYS)).values_list("id", flat=True)
    while ids := list(old[:PRUNED_AT_ONCE]):
        with write_transaction():
            # Another worker may delete the same events.
            lock_rows(Event.objects.filter(pk__in=ids)).delete()
        deleted += len(ids)
    return deleted
