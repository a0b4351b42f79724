"""A worker's part of a proof: attempt it, then score the runs."""

import logging
import time

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from environments.registry import ATTEMPTS
from infrastructure.claims import Claim, ClaimLost, Stopping
from infrastructure.processes.workers import stopping
from infrastructure.transactions import let_go_of_connection, lock_row, write_transaction
from runs.engine.jobs import Job, JobFailed
from runs.engine.period import quality_columns, result_of
from runs.events import run_scored
from runs.metric_series import result_store
from runs.models import Instance, Period, Proof, ProofState, Run, RunState
from runs.models.runs import ACTIVE
from runs.proofs.apart import EndedWithoutResult, solve_apart
from runs.proofs.claims import claims
from runs.rebuilding import begun

logger = logging.getLogger(__name__)

NO_RESULT = "The solver ended without a result, perhaps for lack of memory."
ENDS = {ProofState.SEARCHING: ProofState.GIVEN_UP, ProofState.SCORING: ProofState.PROVEN}
"""The state of a proof after its job failed, by the state before."""


def unscored(instance_id: int) -> QuerySet[Run]:
    """Runs that have a period or ended before the proof. Includes deleted experiments, because a deletion can be undone."""
    before = Period.objects.filter(run=OuterRef("pk"), quality=None)
    return Run.with_deleted.filter(
        Exists(before) | Q(state=RunState.FINISHED, score=None), instance=instance_id
    ).order_by("id")


def run_score(run_id: int) -> bool:
    """Replay the stored actions with the proven reference. Store every result that differs, in one transaction.

    Returns False if the run is in play or has changed during the replay. A run in play may get further periods without
    the proof. It is scored again when it ends.
    """
    run = Run.with_deleted.select_related("instance", "agent", "rival", "prompts").get(pk=run_id)
    rows = list(Period.objects.filter(run=run))
    game = begun(run, [row.as_outcome() for row in rows])
    result = result_of(run, game) if run.state == RunState.FINISHED else {}
    same = Run.with_deleted.filter(state=run.state, periods_played=len(rows))
    reached = quality_columns([outcome.quality for outcome in game.outcomes])
    with write_transaction():
        if not result_store(runs=same, run_id=run_id, result=result, **reached):
            return False
        for row, outcome in zip(rows, game.outcomes, strict=True):
            if row.as_outcome() != outcome:
                Period.objects.filter(pk=row.pk).update(result=outcome.result, quality=outcome.quality)
        if result:
            run_scored(run_id)
    return run.state not in ACTIVE


def _step(claim: Claim) -> None:
    (_attempt if claim.state == ProofState.SEARCHING else _score)(claim)


def _fail(claim: Claim, problem: str) -> None:
    claims.finish(claim, state=ENDS[ProofState(claim.state)], problem=problem)


PROOFS = Job("proof", claims, _step, _fail, at_once=2)
"""Two at once in each process, so that one can search while another one scores."""


def _attempt(claim: Claim) -> None:
    """Compute the reference once more with a larger limit. Store it, and the state that follows."""
    proof = claims.mine(claim).select_related("instance").first()
    if proof is None:
        raise ClaimLost
    attempts = ATTEMPTS[proof.instance.environment]
    try:
        reference = solve_apart(proof.instance.as_problem(), proof.limit, _Look(claim))
    except EndedWithoutResult as error:
        raise JobFailed(NO_RESULT) from error
    unproven = ProofState.GIVEN_UP if proof.attempts + 1 >= len(attempts.seconds) else ProofState.SEARCHING
    state = ProofState.SCORING if attempts.is_proven(reference) else unproven
    with write_transaction():
        claims.finish(claim, state=state, attempts=F("attempts") + 1)
        Instance.objects.filter(pk=proof.instance_id).update(reference=reference)


class _Look:
    """End an attempt if the process stops. Every SWEEP_SECONDS, also check that the claim still holds."""

    def __init__(self, claim: Claim):
        self.claim, self.next = claim, 0.0

    def __call__(self) -> None:
        if stopping.is_set():
            raise Stopping
        if time.monotonic() >= self.next:
            if not claims.mine(self.claim).exists():
                raise ClaimLost
            let_go_of_connection()  # do not hold a connection during the attempt
            self.next = time.monotonic() + settings.SWEEP_SECONDS


def _score(claim: Claim) -> None:
    """Score the runs of the instance until only runs in play are left."""
    instance_id = claims.mine(claim).values_list("instance", flat=True).first()
    if instance_id is None:
        raise ClaimLost
    scored: set[int] = set()
    failed: set[int] = set()
    while True:
        for run_id in unscored(instance_id).exclude(pk__in=scored | failed).values_list("id", flat=True):
            if stopping.is_set():
                raise Stopping
            try:
                scored |= {run_id} if run_score(run_id) else set()
            except (OperationalError, InterfaceError):
                raise
            except Exception:  # a bug in the score of one run must not prevent the scores of other runs
                logger.exception("Run %d could not be scored.", run_id)
                failed.add(run_id)
        with write_transaction():
            lock_row(Proof, claim.row_id)  # a run that ends now waits for this lock and then starts the scoring again
            if not unscored(instance_id).exclude(pk__in=scored | failed).exclude(state__in=ACTIVE).exists():
                failed_ids = ", ".join(map(str, sorted(failed)))
                problem = f"A fault in EconEvals left runs without a score: {failed_ids}."[:1000] if failed else ""
                claims.finish(claim, state=ProofState.PROVEN, problem=problem)
                return
