"""Draw an instance and compute its reference optimum, once for all of its runs."""

import os
from collections.abc import Callable
from threading import BoundedSemaphore
from typing import Any

from django.db import IntegrityError

import environments.base
from environments.registry import GENERATION
from infrastructure.claims import claim_expiry, unclaimed
from infrastructure.transactions import write_transaction
from runs.engine.exceptions import BeingSolved
from runs.models import Instance
from runs.proofs.services import proof_search

solving: set[int] = set()
"""Ids of the instances whose reference this process is computing. The heartbeat renews their claims."""

_solving = BoundedSemaphore(os.cpu_count() or 1)


def renew_claims() -> None:
    if solving:
        with write_transaction():
            Instance.objects.filter(pk__in=solving.copy(), reference=None).update(solving_until=claim_expiry())


def ensure_drawn(instance: Instance) -> None:
    """Store an instance that was so far only drawn in memory. All workers draw the same one, and the first stores it."""
    if not instance.drawn_here:
        return
    drawn = {"parameters": instance.parameters, "hidden": instance.hidden, "reference": instance.reference}
    rows = Instance.objects.filter(pk=instance.pk, parameters=None)
    try:
        with write_transaction():
            rows.update(**drawn, content_hash=instance.as_problem().content_hash)
    except IntegrityError:
        # An import has just stored the same content in another row. The hash is unique, so this row keeps its old one.
        with write_transaction():
            rows.update(**drawn)


def ensure_reference(instance: Instance) -> None:
    """Compute and store the reference if it is missing. Raises BeingSolved while another worker computes it."""
    if instance.reference is not None:
        return

    def store(reference: dict[str, Any]) -> None:
        instance.reference = reference
        Instance.objects.filter(pk=instance.pk).update(reference=reference)
        proof_search(instance=instance, reference=reference)

    try:
        solve(instance, instance.as_problem(), store)
    except BeingSolved:
        instance.refresh_from_db(fields=["reference"])
        if instance.reference is None:
            raise


def solve(instance: Instance, problem: environments.base.Instance, store: Callable[[dict[str, Any]], object]) -> None:
    """Compute the reference of `problem` while holding the claim of the row `instance`. `store` saves it in a transaction.

    Raises BeingSolved while another worker has the claim.
    """
    with write_transaction():
        free = Instance.objects.filter(unclaimed("solving_until"), pk=instance.pk, reference=None)
        is_claimed = free.update(solving_until=claim_expiry())
    if not is_claimed:
        raise BeingSolved("The optimum of its instance is being computed.")
    solving.add(instance.pk)
    reference = None
    try:
        with _solving:
            reference = GENERATION[instance.environment].reference(problem)
    finally:
        solving.discard(instance.pk)
        with write_transaction():
            if reference is not None:
                store(reference)
            Instance.objects.filter(pk=instance.pk).update(solving_until=None)
