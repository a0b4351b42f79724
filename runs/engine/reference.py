"""The reference of an instance, computed once however many runs wait for it."""

from __future__ import annotations

import os
from datetime import timedelta
from threading import BoundedSemaphore
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Now

from environments.registry import GENERATION
from runs.engine.writing import write_transaction
from runs.models import Instance

solving: set[int] = set()
"""Instances this process computes the reference of; the heartbeat renews the claims, as it does leases."""

_solving = BoundedSemaphore(os.cpu_count() or 1)


class BeingSolved(Exception):
    """Another worker is computing the reference; come back in `seconds`."""

    seconds = 1.0


def claim() -> Any:
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)


def ensure_reference(instance: Instance) -> None:
    """Compute and store the reference where it is missing. Raises BeingSolved while another worker does."""
    if instance.reference is not None:
        return
    with write_transaction():
        claimed = (
            Instance.objects.filter(pk=instance.pk, reference=None)
            .filter(Q(solving_until=None) | Q(solving_until__lt=Now()))
            .update(solving_until=claim())
        )
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
