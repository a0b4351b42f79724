"""Writes of webhooks: create, change, pause, resume, rotate the secret, test, resend."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models import Action, Membership, Organization, User
from accounts.services.audit import audit_record
from accounts.services.organizations import organization_lock
from workspace.webhooks import payloads
from workspace.webhooks.delivery.deliveries import LEASE_SECONDS, Claim, deliver
from workspace.webhooks.delivery.dispatcher import wake_dispatcher
from workspace.webhooks.delivery.sending import Answer, check_webhook_url, new_secret, seal_secret
from workspace.webhooks.models import Delivery, DeliveryState, EventKind, MessageForm, Webhook

MOST_WEBHOOKS = 10
FORMER_HOURS = 24
TEST = {"message": "This is a test. Other events look like this one and have more data."}
CHOICES = [kind for kind in EventKind if kind != EventKind.PING]


@contextmanager
def _locked_by(actor: Membership) -> Iterator[Organization]:
    """Open a transaction that locks the actor's organization. Raises PermissionDenied unless the actor is an owner."""
    with transaction.atomic():
        yield organization_lock(actor)


def webhook_create(
    *, actor: Membership, url: str, events: Sequence[str], form: str = MessageForm.EVENT
) -> tuple[Webhook, str]:
    """Create a webhook; return it with its secret, which is shown once.

    Raises ValidationError by field, and PermissionDenied unless the actor is an owner.
    """
    url, events = _checked(url, events)
    secret = new_secret()
    with _locked_by(actor) as organization:
        if Webhook.objects.filter(organization=organization).count() >= MOST_WEBHOOKS:
            raise ValidationError({"url": f"An organization has at most {MOST_WEBHOOKS} webhooks. Delete one first."})
        webhook = Webhook.objects.create(
            organization=organization,
            url=url,
            events=events,
            form=form,
            sealed_secret=seal_secret(organization.pk, secret),
            created_by=actor.user,
        )
        _audit(actor, webhook, Action.WEBHOOK_ADDED, ", ".join(webhook.kinds))
    return webhook, secret


def webhook_change(
    *, actor: Membership, webhook: Webhook, url: str, events: Sequence[str], form: str = MessageForm.EVENT
) -> Webhook:
    """Change a webhook and return it. Waiting deliveries go to the new address. Raises ValidationError by field."""
    url, events = _checked(url, events)
    with _locked_by(actor):
        old = webhook.host
        webhook.url, webhook.events, webhook.form = url, events, form
        moved = f" (was {old})" if webhook.host != old else ""
        webhook.save(update_fields=["url", "events", "form"])
        _audit(actor, webhook, Action.WEBHOOK_CHANGED, ", ".join(webhook.kinds) + moved)
    return webhook


def webhook_pause(*, actor: Membership, webhook: Webhook) -> None:
    """Stop creating events for the webhook. Waiting deliveries are kept."""
    with _locked_by(actor):
        if Webhook.objects.filter(pk=webhook.pk, paused_at=None).update(paused_at=timezone.now(), off_reason=""):
            _audit(actor, webhook, Action.WEBHOOK_PAUSED)


def webhooks_pause_of(organization: Organization, user: User) -> None:
    """Pause a former member's webhooks, because that person may control their receivers.

    A listener of accounts.hooks.member_removed.
    """
    Webhook.objects.filter(organization=organization, created_by=user, paused_at=None).update(
        paused_at=timezone.now(), off_reason=""
    )


def webhook_resume(*, actor: Membership, webhook: Webhook) -> None:
    """Resume a webhook. Waiting deliveries are sent, and the count of failures starts at zero."""
    with _locked_by(actor):
        paused = Webhook.objects.filter(pk=webhook.pk, paused_at__isnull=False)
        if paused.update(paused_at=None, off_reason="", failures=0):
            _audit(actor, webhook, Action.WEBHOOK_RESUMED)
            transaction.on_commit(wake_dispatcher)


def webhook_rotate(*, actor: Membership, webhook: Webhook) -> str:
    """Create a new secret. The former secret also signs for a day; an older one stops signing at once."""
    secret = new_secret()
    with _locked_by(actor):
        webhook.former_secret = webhook.sealed_secret
        webhook.former_until = timezone.now() + timedelta(hours=FORMER_HOURS)
        webhook.sealed_secret = seal_secret(webhook.organization_id, secret)
        webhook.save(update_fields=["sealed_secret", "former_secret", "former_until"])
        _audit(actor, webhook, Action.WEBHOOK_SECRET)
    return secret


def webhook_delete(*, actor: Membership, webhook: Webhook) -> None:
    """Delete a webhook with its waiting deliveries."""
    with _locked_by(actor):
        _audit(actor, webhook, Action.WEBHOOK_REMOVED)
        webhook.delete()


def webhook_test(*, webhook: Webhook) -> Answer:
    """Send a test event now, even if the webhook is paused; return the answer.

    Tests are not retried and do not count as failures.
    """
    event = payloads.event(webhook.organization, EventKind.PING, TEST)
    with transaction.atomic():
        event.save(force_insert=True)
        delivery = Delivery.objects.create(
            webhook=webhook, event=event, attempts=1, due_at=timezone.now() + timedelta(seconds=LEASE_SECONDS)
        )
    return deliver(Claim(delivery.pk, 1, webhook.organization_id)) or Answer(
        problem="The webhook was deleted during the test."
    )


def delivery_resend(*, delivery: Delivery) -> None:
    """Send a delivery now. If it had ended, it gets all its attempts again.

    Raises ValidationError if the webhook is paused.
    """
    if delivery.webhook.paused_at is not None:
        raise ValidationError("The webhook is paused; resume it first.")
    # Due times are compared with the database's clock. SQLite's clock counts milliseconds and may lag behind Python's.
    rows, now = Delivery.objects.filter(pk=delivery.pk), Now()
    with transaction.atomic():
        ended = rows.filter(state__in=(DeliveryState.DELIVERED, DeliveryState.FAILED))
        if not ended.update(state=DeliveryState.WAITING, attempts_before=F("attempts"), due_at=now):
            # A delivery that is due sooner may be in flight at this moment.
            rows.filter(due_at__gt=now + timedelta(seconds=LEASE_SECONDS)).update(due_at=now)
        transaction.on_commit(wake_dispatcher)


def _checked(url: str, events: Sequence[str]) -> tuple[str, list[str]]:
    errors: dict[str, str] = {}
    try:
        url = check_webhook_url(url)
    except ValidationError as error:
        errors["url"] = error.messages[0]
    kinds = [str(kind) for kind in CHOICES if kind in events]
    if not kinds or set(events) - set(kinds):
        errors["events"] = "Choose at least one of the events."
    if errors:
        raise ValidationError(errors)
    return url, kinds


def _audit(actor: Membership, webhook: Webhook, action: Action, detail: str = "") -> None:
    """Write an entry to the audit log.

    It names only the host, because the path of an address is often a secret of the receiver.
    """
    audit_record(
        organization=webhook.organization,
        actor=actor.user,
        action=action,
        subject=webhook.host + (f": {detail}" if detail else ""),
    )
