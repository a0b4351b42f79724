"""Claims of workers on proofs."""

from django.db.models import Exists, Q, QuerySet
from django.db.models.functions import Now

from infrastructure.claims import Claim, Claims
from infrastructure.transactions import lock_name, write_transaction
from runs.models.proofs import UNSETTLED, Proof, ProofState


class ProofClaims(Claims[Proof]):
    """One search at a time on the site, since each takes a processor for up to hours. Scores wait for none."""

    def due(self) -> QuerySet[Proof]:
        free = super().due()
        searched = self.rows().filter(state=ProofState.SEARCHING, claim_until__gte=Now()).exclude(pk__in=free)
        return free.filter(Q(state=ProofState.SCORING) | ~Exists(searched))

    def take(self, row_id: int) -> Claim | None:
        with write_transaction():
            lock_name("proofs")  # two workers that look at the same time would both see no search
            return super().take(row_id)


claims = ProofClaims(Proof, UNSETTLED)
