from django.db import models
from django.db.models import Q

from environments.registry import ATTEMPTS
from infrastructure.claims import Claimed
from runs.models.instances import Instance
from runs.models.states import RunState


class ProofState(models.TextChoices):
    """States of the search for a proof. Workers turn `searching` into `scoring` or `given_up`, and `scoring` into `proven`;
    a run that ends turns `proven` back into `scoring`, a person `given_up` into `searching`."""

    SEARCHING = "searching", "Searching"
    SCORING = "scoring", "Scoring"
    PROVEN = "proven", "Proven"
    GIVEN_UP = "given_up", "Given up"


UNSETTLED = (ProofState.SEARCHING, ProofState.SCORING)
"""States in which a worker has work to do."""


AWAITS_SCORE = Q(state=RunState.FINISHED, score=None, instance__proof__state__in=UNSETTLED)
"""Runs that ended without a score and may still get one."""

UNSCORED = Q(instance__runs__state=RunState.FINISHED, instance__runs__score=None)
"""Proofs with finished runs that have no score."""


class Proof(Claimed):
    """The search for a proof of a reference whose first computation ended without one. Most instances have no row.

    attempts: number of attempts that ended, including the first computation
    problem: why the search was given up, or which runs could not be scored; empty if all attempts reached their limit
    """

    instance = models.OneToOneField(Instance, models.CASCADE, related_name="proof")
    state = models.CharField(max_length=9, choices=ProofState, default=ProofState.SEARCHING)
    attempts = models.PositiveSmallIntegerField(default=1)
    problem = models.TextField(blank=True, default="")

    class Meta:
        indexes = [
            models.Index(fields=["asked_at", "id"], name="proofs_unsettled", condition=Q(state__in=UNSETTLED)),
        ]

    @property
    def limit(self) -> float:
        """The limit of the next attempt, in processor seconds."""
        return ATTEMPTS[self.instance.environment].limit_after(self.attempts)
