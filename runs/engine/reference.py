"""An instance is drawn, and its reference computed, once however many runs wait for it."""

from __future__ import annotations

import os
from datetime import timedelta
from threading import BoundedSemaphore
from typing import Any

from django.conf import settings
from django.db import IntegrityError
from django.db.models import Q
from django.db.models.functions import Now

from environments.registry import GENERATION
from infrastructure.transactions import write_transaction
from runs.models import Instance

solving: set[int] = set()
"""Instances this process computes the reference of; the heartbeat renews the claims, as it does leases."""

_solving = BoundedSemaphore(os.cpu_count() or 1)


class BeingSolved(Exception):
    """Another worker is computing the reference; come back in `seconds`."""

    seconds = 1.0


def claim(leases: int = 1) -> Any:
    return Now() + timedelta(seconds=leases * settings.LEASE_SECONDS)


def ensure_drawn(instance: Instance) -> None:
    """Store an instance that was drawn when it was read. Two workers draw the same; the first one stores it."""
    if not instance.drawn_here:
        return
    drawn = {"parameters": instance.parameters, "hidden": instance.hidden, "reference": instance.reference}
    rows = Instance.objects.filter(pk=instance.pk, parameters=None)
    try:
        with write_transaction():
            rows.update(**drawn, content_hash=instance.as_problem().content_hash)
    except IntegrityError:
        # An import stored the same instance a moment ago. This row keeps the hash of its recipe.
        with write_transaction():
            rows.update(**drawn)


def ensure_reference(instance: Instance) -> None:
    """Compute and store the reference where it is missing. Raises BeingSolved while another worker does."""
    if instance.reference is not None:
        return
    # A claim further ahead than any worker makes one was made before the clock was set back.
    free = Q(solving_until=None) | Q(solving_until__lt=Now()) | Q(solving_until__gt=claim(3))
    with write_transaction():
        claimed = Instance.objects.filter(pk=instance.pk, reference=None).filter(free).update(solving_until=claim())
    if not claimed:
        instance.refresh_from_db(fields=["reference"])
        if instance.reference is None:
            raise BeingSolved
        return
    solving.add(instance.pk)
    try:
        with _solving:
            instance.reference = GENERATION[instance.environment].reference(instance.as_problem())
    finally:
        solving.discard(instance.pk)
        with write_transaction():
            Instance.objects.filter(pk=instance.pk).update(reference=instance.reference, solving_until=None)
