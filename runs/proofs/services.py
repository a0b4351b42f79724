"""Start the search for a proof, or the scoring after it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Now

from environments.registry import is_final
from infrastructure.transactions import ROWS_AT_ONCE, lock_rows, write_transaction
from runs.models import Instance, Proof, ProofState, Run


def proof_search(*, instance: Instance, reference: Mapping[str, Any]) -> None:
    """Start a search if `reference` is not final. If a proof is already stored, score the runs of the instance again.

    Called in the transaction that stores `reference`, or runs that were played with it. `instance`: the stored row.
    """
    if not is_final(instance.environment, reference):
        state = ProofState.PROVEN if is_final(instance.environment, instance.reference) else ProofState.SEARCHING
        Proof.objects.get_or_create(instance=instance, defaults={"state": state})
        _score_again(Proof.objects.filter(instance=instance.pk))


def proofs_score(run_ids: Sequence[int]) -> None:
    """Request scores for runs that ended or paused, because their worker may not have known the proof.

    Listener of `events.runs_stopped`, in its transaction. It locks the proofs, so a worker cannot end the scoring of an
    instance at the same time.
    """
    for first in range(0, len(run_ids), ROWS_AT_ONCE):
        runs = Run.with_deleted.filter(pk__in=run_ids[first : first + ROWS_AT_ONCE])
        _score_again(Proof.objects.filter(instance__in=runs.values("instance")))


def _score_again(proofs: QuerySet[Proof]) -> None:
    lock_rows(proofs).filter(state=ProofState.PROVEN).update(state=ProofState.SCORING, asked_at=Now())


def proof_search_again(*, instance: Instance) -> bool:
    """Search once more, for as long as the last attempt. Returns False if the search was not given up."""
    with write_transaction():
        return bool(
            Proof.objects.filter(instance=instance.pk, state=ProofState.GIVEN_UP).update(
                state=ProofState.SEARCHING, problem="", tries=0, asked_at=Now()
            )
        )
