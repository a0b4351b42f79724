"""The cast: an owner, a receiver, and a webhook that wants everything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.runs.conftest import _nothing_held_outlives_its_test  # noqa: F401
from tests.webhooks.receiver import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def hook(owner: Any, receiver: Receiver) -> Any:
    """A webhook to the receiver that wants everything; its secret is `hook.secret`."""
    from webhooks.services import CHOICES, webhook_create

    hook, secret = webhook_create(actor=owner, url=receiver.url, events=[str(kind) for kind in CHOICES])
    hook.secret = secret
    return hook


@pytest.fixture
def event_kinds() -> Callable[[], list[str]]:
    """The kinds of the recorded events, in order."""

    def event_kinds() -> list[str]:
        from webhooks.models import Event

        return list(Event.objects.order_by("created_at", "id").values_list("kind", flat=True))

    return event_kinds


@pytest.fixture
def deliver_due() -> Callable[[], int]:
    """Deliver everything that is due, as a dispatcher does; return the number of attempts."""

    def deliver_due() -> int:
        from webhooks.delivery.deliveries import claim_next, deliver

        count = 0
        while (claim := claim_next()) is not None:
            deliver(claim)
            count += 1
        return count

    return deliver_due


@pytest.fixture
def time_passes() -> Callable[[], None]:
    """Make every waiting delivery due now."""

    def time_passes() -> None:
        from datetime import timedelta

        from django.db.models.functions import Now

        from webhooks.models import Delivery

        Delivery.objects.filter(state="waiting").update(due_at=Now() - timedelta(seconds=1))

    return time_passes
