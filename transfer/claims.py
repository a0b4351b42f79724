"""Claims on uploads: one worker at a time works on an upload, and another takes it over when the claim expires.

As with leases of runs, all times are the database's, and every write names the fence that each new holder raises.
"""

import os
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from accounts.models import Membership, Organization, Role
from infrastructure.transactions import write_transaction
from transfer.models import WORKING, ImportUpload

CANDIDATES = 4

AUTHOR_MAY_IMPORT = Exists(
    Membership.objects.filter(
        organization=OuterRef("organization"), user=OuterRef("created_by"), role__in=(Role.OWNER, Role.EDITOR)
    )
)


@dataclass(frozen=True)
class Claim:
    """The right to read or store an upload, as `state` says. tries: workers that began it and died before."""

    upload_id: int
    fence: int
    state: str
    tries: int


class ClaimLost(Exception):
    """The upload was discarded or taken over, or its sender may no longer import: write nothing more."""


held: set[Claim] = set()
"""Claims of this process. The heartbeat renews them, since a single log may take longer than a claim lasts."""

os.register_at_fork(after_in_child=held.clear)


def due() -> Q:
    """Uploads that a worker may claim. A claim too far in the future was made before the clock was set back."""
    free = Q(claim_until=None) | Q(claim_until__lt=Now()) | Q(claim_until__gt=_expiry(3))
    return Q(state__in=WORKING) & free


def claim_next() -> Claim | None:
    """Claim the upload that waits longest. Returns None if none is due. Deletes those whose sender may no longer import."""
    waiting = ImportUpload.objects.filter(due())
    if waiting.exists():
        unwelcome = waiting.exclude(AUTHOR_MAY_IMPORT)
        if unwelcome.exists():
            with write_transaction():
                unwelcome.delete()
        for upload_id in waiting.order_by("asked_at", "id").values_list("id", flat=True)[:CANDIDATES]:
            if (claim := take(upload_id)) is not None:
                return claim
    return None


def take(upload_id: int) -> Claim | None:
    with write_transaction():
        rows = ImportUpload.objects.filter(pk=upload_id)
        if not rows.filter(due()).update(
            fence=F("fence") + 1, tries=F("tries") + 1, claim_until=_expiry(), begun_at=Now(), done=0
        ):
            return None
        fence, state, tries = rows.values_list("fence", "state", "tries").get()
    claim = Claim(upload_id, fence, state, tries - 1)
    held.add(claim)
    return claim


def tell(claim: Claim, done: int, total: int) -> None:
    """Store the progress in logs. Raises ClaimLost if the rest is no longer wanted."""
    with write_transaction():
        told = mine(claim).filter(AUTHOR_MAY_IMPORT).update(done=done, total=total, claim_until=_expiry())
    if not told:
        raise ClaimLost


def finish(claim: Claim, **values: Any) -> None:
    """Store the result and release the claim. Raises ClaimLost."""
    with write_transaction():
        if not mine(claim).update(claim_until=None, tries=0, asked_at=Now(), **values):
            raise ClaimLost


def lock(claim: Claim) -> None:
    """Lock upload and membership until the transaction ends. Raises ClaimLost.

    The lock excludes changes of members, which lock their organization's row, and allows new rows that refer to it.
    """
    organization = ImportUpload.objects.filter(pk=claim.upload_id).values("organization")
    list(Organization.objects.filter(pk__in=organization).select_for_update(no_key=True))
    locked = mine(claim).filter(AUTHOR_MAY_IMPORT).select_for_update(no_key=True, of=("self",))
    if not list(locked.values_list("id")):
        raise ClaimLost


def renew() -> None:
    for claim in held.copy():
        with write_transaction():
            mine(claim).update(claim_until=_expiry())


def mine(claim: Claim) -> QuerySet[ImportUpload]:
    return ImportUpload.objects.filter(pk=claim.upload_id, fence=claim.fence, state=claim.state)


def _expiry(claims: int = 1) -> Any:
    return Now() + timedelta(seconds=claims * settings.LEASE_SECONDS)
