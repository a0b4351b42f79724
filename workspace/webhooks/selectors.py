"""Database reads of webhooks. Webhooks of other organizations are not found."""

from django.core.paginator import Page, Paginator
from django.db.models import OuterRef, Q, Subquery
from django.shortcuts import get_object_or_404

from accounts.models import Organization
from infrastructure.paging import LIST_PAGE
from workspace.webhooks.models import Delivery, DeliveryState, Webhook


def webhook_rows(*, organization: Organization) -> list[tuple[Webhook, Delivery | None]]:
    """Each webhook with the delivery of its latest attempt; None before the first attempt."""
    attempted = Delivery.objects.filter(webhook=OuterRef("pk"), attempted_at__isnull=False).order_by("-id").values("id")
    hooks = Webhook.objects.filter(organization=organization).annotate(latest=Subquery(attempted[:1]))
    deliveries = Delivery.objects.in_bulk([hook.latest for hook in hooks if hook.latest])
    return [(hook, deliveries.get(hook.latest)) for hook in hooks]


def webhooks_by_maker(organization: Organization) -> dict[int, list[str]]:
    """The webhooks that a person's removal would pause, by the id of that person.

    A listener of accounts.hooks.made_by_members.
    """
    names: dict[int, list[str]] = {}
    for hook in Webhook.objects.filter(organization=organization, paused_at=None, created_by__isnull=False):
        names.setdefault(hook.created_by_id or 0, []).append(f"the webhook to {hook.host} (paused)")
    return names


def webhook_or_404(*, organization: Organization, webhook_id: int) -> Webhook:
    return get_object_or_404(
        Webhook.objects.select_related("organization", "created_by"), organization=organization, pk=webhook_id
    )


def delivery_or_404(*, organization: Organization, webhook_id: int, delivery_id: int) -> Delivery:
    return get_object_or_404(
        Delivery.objects.select_related("webhook", "event"),
        webhook__organization=organization,
        webhook=webhook_id,
        pk=delivery_id,
    )


def delivery_page(*, webhook: Webhook, state: str, page: str | None) -> Page[Delivery]:
    """A page of deliveries, newest first. An unknown state is ignored."""
    rows = (
        Delivery.objects.filter(Q(state=state) if state in DeliveryState.values else Q(), webhook=webhook)
        .select_related("event")
        .order_by("-id")
    )
    return Paginator(rows, LIST_PAGE).get_page(page)
