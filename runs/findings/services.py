"""Compute and store the findings of finished runs."""

from datetime import timedelta
from typing import Any

from django.db import IntegrityError
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from agents.tools import storable
from environments.findings import VERSION, FinishedRun
from environments.findings import Finding as DetectedFinding
from environments.registry import ENVIRONMENTS, evaluate_run
from infrastructure.claims import Claim, ClaimLost, Claims
from infrastructure.transactions import lock_rows, write_transaction
from runs.engine.jobs import Job
from runs.findings.models import Finding, RunFindings
from runs.models import Note, Period, Run, RunState

CLAIM_SECONDS = 120
"""How long a claim lasts, in seconds. A computation takes only a fraction of a second."""

CURRENT = Q(rules_version__gte=VERSION)
"""Findings of this version's rules or of newer rules, which older workers must not replace during an upgrade."""


class FindingsClaims(Claims[Run]):
    """Claims on finished runs, in columns of RunFindings. A run's first claim creates its row.

    They have no fence: computations of two workers store the same findings.
    """

    released = {"claimed_until": None, "tries": 0}

    def due(self) -> QuerySet[Run]:
        """Finished runs without findings of the current rules that no worker has claimed."""
        settled = RunFindings.objects.filter(CURRENT | Q(claimed_until__gt=Now()), run=OuterRef("pk"))
        return self.rows().filter(~Exists(settled), state__in=self.working)

    def in_turn(self) -> QuerySet[Run]:
        """The due runs, newest first."""
        return self.due().order_by("-id")

    def take(self, row_id: int) -> Claim | None:
        rows = RunFindings.objects.filter(run=row_id)
        free = ~CURRENT & (Q(claimed_until=None) | Q(claimed_until__lte=Now()))
        until = Now() + timedelta(seconds=CLAIM_SECONDS)
        try:
            with write_transaction():
                RunFindings.objects.get_or_create(run_id=row_id)
                if not rows.filter(free).update(claimed_until=until, tries=F("tries") + 1):
                    return None
                return Claim(row_id, 0, RunState.FINISHED, rows.values_list("tries", flat=True).get() - 1)
        except IntegrityError:
            return None  # the run was deleted

    def mine(self, claim: Claim) -> QuerySet[Any]:
        """The claimed row. A new score of the run has ended the claim, see `findings_compute_again`."""
        return RunFindings.objects.filter(run=claim.row_id).exclude(claimed_until=None)


claims = FindingsClaims(Run, [RunState.FINISHED], "findings.tasks.compute_next")


def findings_compute(*, run: Run) -> None:
    """Compute the findings of a finished run now, except if they are current or a worker is computing them."""
    if claim := claims.take(run.pk):
        FINDINGS.work(claim)


def _step(claim: Claim) -> None:
    """Compute the findings of a run, and replace the stored ones in one transaction."""
    run = Run.objects.filter(pk=claim.row_id).select_related("instance", "agent", "rival").first()
    if run is None:
        raise ClaimLost
    evaluation = evaluate_run(played_run(run))
    with write_transaction():
        # The lock on the run makes two computations wait for each other.
        if not lock_rows(Run.objects.filter(pk=run.pk)).filter(score=run.score).exists():
            raise ClaimLost  # it was scored or deleted meanwhile
        _finish(
            claim,
            inapplicable=" ".join(evaluation.inapplicable),
            changes=[_change(change) for change in evaluation.changes],
        )
        Finding.objects.bulk_create(_row(run, finding) for finding in evaluation.findings)


def _fail(claim: Claim, problem: str) -> None:
    """Store why there are no findings. New rules compute them again, or a worker when a person asks for it."""
    with write_transaction():
        _finish(claim, error=storable(problem), inapplicable="", changes=[])


def _finish(claim: Claim, **values: Any) -> None:
    claims.finish(claim, **{"rules_version": VERSION, "computed_at": Now(), "error": ""} | values)
    Finding.objects.filter(run=claim.row_id).delete()


FINDINGS = Job("computation of findings", claims, _step, _fail, advice="Workers may need more memory.")


def _row(run: Run, finding: DetectedFinding) -> Finding:
    return Finding(
        organization_id=run.organization_id,
        run=run,
        rule=finding.rule,
        period=finding.period,
        seat=finding.seat,
        value=finding.value,
        sentence=storable(finding.sentence),
    )


def _change(finding: DetectedFinding) -> dict[str, Any]:
    """The JSON of a change, in the form that `runs.findings.selectors.Change` reads."""
    return {
        "kind": finding.rule,
        "period": finding.period,
        "seat": finding.seat,
        "size": finding.value,
        "sentence": storable(finding.sentence),
    }


def findings_compute_again(run_id: int) -> None:
    """Mark the findings of a run as due, because its score is new. Listener of `events.run_scored`, in its transaction."""
    RunFindings.objects.filter(run=run_id).update(rules_version=0, **FindingsClaims.released)


def findings_ask(*, run: Run) -> bool:
    """Let a worker compute the findings of a run again after an error. Returns False if there was no error."""
    failed = RunFindings.objects.filter(run=run).exclude(error="")
    return bool(failed.update(rules_version=0, computed_at=None, error=""))


def played_run(run: Run) -> FinishedRun:
    """The run with its periods and notes, in the form that rules read. Makes two queries."""
    periods = Period.objects.filter(run=run)
    game = ENVIRONMENTS.get(run.instance.environment)
    # Include seats without notes, because rules count the seats of the agent.
    notes: dict[str, dict[int, str]] = {seat: {} for seat in (game.seats_of(run.variant) if game else ())}
    for seat, period, text in Note.objects.filter(run=run).values_list("seat", "period_index", "text"):
        # Baselines write fixed texts, so their notes are of no interest.
        if not run.agent_in(seat).is_baseline:
            own = notes.setdefault(seat, {})
            own[period] = f"{own.get(period, '')}\n{text}"
    return FinishedRun(
        run.instance.as_problem(), [row.as_outcome() for row in periods], run.periods, run.variant, notes
    )
