"""The cast: an owner, a receiver, and a webhook that subscribes to every event."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from tests.runs.conftest import _nothing_held_outlives_its_test  # noqa: F401
from tests.workspace.webhooks.receiver import Receiver
from workspace.webhooks.delivery.deliveries import claim_next, deliver
from workspace.webhooks.models import Delivery, Event
from workspace.webhooks.services import CHOICES, webhook_create


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def hook(owner, receiver):
    """A webhook to the receiver that wants everything; its secret is `hook.secret`."""
    hook, secret = webhook_create(actor=owner, url=receiver.url, events=[str(kind) for kind in CHOICES])
    hook.secret = secret
    return hook


@pytest.fixture
def event_kinds():
    """The kinds of the recorded events, in order."""
    return lambda: list(Event.objects.order_by("created_at", "id").values_list("kind", flat=True))


@pytest.fixture
def deliver_due():
    """Deliver everything that is due, as a dispatcher does; return the number of attempts."""
    return lambda: sum(1 for claim in iter(claim_next, None) if deliver(claim))


@pytest.fixture
def time_passes():
    """Make every waiting delivery due now."""
    return lambda: Delivery.objects.filter(state="waiting").update(due_at=Now() - timedelta(seconds=1))
