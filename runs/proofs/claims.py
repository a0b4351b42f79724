"""Claims of workers on proofs."""

from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from infrastructure.claims import Claim, Claims
from infrastructure.transactions import lock_name, write_transaction
from runs.models.proofs import UNSETTLED, Proof, ProofState


class ProofClaims(Claims[Proof]):
    """Claims on proofs. The site runs one search at a time, because a search may occupy a processor for hours.

    The scoring of runs does not wait for a search.
    """

    def due(self) -> QuerySet[Proof]:
        free = super().due()
        searched = self.rows().filter(state=ProofState.SEARCHING, claim_until__gte=Now()).exclude(pk__in=free)
        return free.filter(Q(state=ProofState.SCORING) | ~Exists(searched))

    def in_turn(self) -> QuerySet[Proof]:
        """The due proofs, in order: first those of the organization whose last job began earliest.

        So an organization with many searches does not delay other organizations.
        """
        own = self.rows().filter(instance__organization=OuterRef("instance__organization")).order_by()
        turn = own.values("instance__organization").annotate(last=Max("begun_at")).values("last")
        return self.due().annotate(turn=Subquery(turn)).order_by(F("turn").asc(nulls_first=True), "asked_at", "id")

    def take(self, row_id: int) -> Claim | None:
        with write_transaction():
            lock_name("proofs")  # without the lock, two workers at the same time would both see no search
            return super().take(row_id)


claims = ProofClaims(Proof, UNSETTLED, "runs.proofs.tasks.prove_next")
