"""The reference of an instance, computed once however many runs wait for it."""

from __future__ import annotations

import os
from datetime import timedelta
from threading import BoundedSemaphore

from django.db.models import Q
from django.db.models.functions import Now

from environments.registry import GENERATION
from runs.engine.writing import write_transaction
from runs.models import Instance

SOLVING_SECONDS = 180

_solving = BoundedSemaphore(os.cpu_count() or 1)


class BeingSolved(Exception):
    """Another worker is computing the reference; come back in `seconds`."""

    seconds = 1.0


def ensure_reference(instance: Instance) -> None:
    """Compute and store the reference where it is missing. Raises BeingSolved while another worker does."""
    if instance.reference is not None:
        return
    with write_transaction():
        claimed = (
            Instance.objects.filter(pk=instance.pk, reference=None)
            .filter(Q(solving_until=None) | Q(solving_until__lt=Now()))
            .update(solving_until=Now() + timedelta(seconds=SOLVING_SECONDS))
        )
    if not claimed:
        instance.refresh_from_db(fields=["reference"])
        if instance.reference is None:
            raise BeingSolved
        return
    try:
        with _solving:
            instance.reference = GENERATION[instance.environment].reference(instance.as_problem())
    finally:
        with write_transaction():
            Instance.objects.filter(pk=instance.pk).update(reference=instance.reference, solving_until=None)
