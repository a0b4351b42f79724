"""Compute and store the findings of finished runs."""

import logging
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, InterfaceError, OperationalError
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from agents.tools import storable
from environments.findings import VERSION, Evaluation, FinishedRun
from environments.findings import Finding as DetectedFinding
from environments.registry import ENVIRONMENTS, evaluate_run
from infrastructure.transactions import lock_rows, write_transaction
from runs.findings.models import Finding, RunFindings
from runs.models import Note, Period, Run, RunState

logger = logging.getLogger(__name__)

CLAIM_SECONDS = 120
"""How long a claim lasts, in seconds. A computation takes only a fraction of a second."""

MOST_TRIES = 3
"""Number of workers that may die on a run before its findings are given up, so that it does not kill every worker."""

CANDIDATES = 4

CURRENT = Q(rules_version__gte=VERSION)
"""Findings of this version's rules or of newer rules, which older workers must not replace during an upgrade."""


class GivenUp(Exception):
    """Too many workers died while they computed the findings of a run."""


def runs_due() -> QuerySet[Run]:
    """Finished runs without findings of the current rules that no worker has claimed."""
    settled = RunFindings.objects.filter(CURRENT | Q(claimed_until__gt=Now()), run=OuterRef("pk"))
    return Run.objects.filter(~Exists(settled), state=RunState.FINISHED)


def run_claim() -> Run | None:
    """Claim the newest due run. Returns None if none is due."""
    for run_id in runs_due().order_by("-id").values_list("id", flat=True)[:CANDIDATES]:
        try:
            with write_transaction():
                row, _ = RunFindings.objects.get_or_create(run_id=run_id)
                free = Q(claimed_until=None) | Q(claimed_until__lte=Now())
                until = Now() + timedelta(seconds=CLAIM_SECONDS)
                claim = {"claimed_until": until, "tries": F("tries") + 1}
                claimed = RunFindings.objects.filter(~CURRENT & free, pk=row.pk).update(**claim)
        except IntegrityError:
            continue  # the run was deleted
        if claimed:
            return Run.objects.filter(pk=run_id).select_related("instance", "agent", "rival").first()
    return None


def findings_compute(*, run: Run) -> None:
    """Compute the findings of a finished run and replace the stored ones in one transaction.

    If a rule raises an exception, or MOST_TRIES workers died, the row gets an error instead of findings. They are
    computed again with the next version of the rules, or when a person asks for it.
    """
    evaluation, error = Evaluation([], []), ""
    try:
        if RunFindings.objects.filter(run=run, tries__gt=MOST_TRIES).exists():
            raise GivenUp(f"{MOST_TRIES} workers ended while they computed them, perhaps for lack of memory.")
        evaluation = evaluate_run(played_run(run))
    except (OperationalError, InterfaceError):
        raise
    except GivenUp as reason:
        logger.error("The findings of run %d were given up: %s", run.pk, reason)
        error = str(reason)
    except Exception as fault:  # a bug must appear as an error, not cause endless retries
        logger.exception("The findings of run %d could not be computed.", run.pk)
        error = storable(f"{type(fault).__name__}: {fault}")[:1000]
    rows = [_row(run, finding) for finding in evaluation.findings]
    values: dict[str, Any] = {"rules_version": VERSION, "claimed_until": None, "tries": 0, "computed_at": Now()}
    values |= {
        "error": error,
        "inapplicable": " ".join(evaluation.inapplicable),
        "changes": [_change(change) for change in evaluation.changes],
    }
    try:
        with write_transaction():
            if not lock_rows(Run.objects.filter(pk=run.pk)).filter(score=run.score).exists():
                logger.info("Run %d was scored or deleted while its findings were computed.", run.pk)
                RunFindings.objects.filter(run=run.pk).update(claimed_until=None, tries=0)
                return
            # The lock on this row makes two computations of a run wait for each other.
            RunFindings.objects.update_or_create(run_id=run.pk, defaults=values)
            Finding.objects.filter(run=run).delete()
            Finding.objects.bulk_create(rows)
    except IntegrityError:
        logger.info("Run %d was deleted while its findings were computed.", run.pk)


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
    fields = {
        "period": finding.period,
        "seat": finding.seat,
        "size": finding.value,
        "sentence": storable(finding.sentence),
    }
    return {"kind": finding.rule} | fields


def findings_compute_again(run_id: int) -> None:
    """Mark the findings of a run as due, because its score is new. Listener of `events.run_scored`, in its transaction."""
    RunFindings.objects.filter(run=run_id).update(rules_version=0, claimed_until=None, tries=0)


def findings_ask(*, run: Run) -> bool:
    """Let a worker compute the findings of a run again after an error. Returns False if there was no error."""
    rows = RunFindings.objects.filter(run=run).exclude(error="")
    return bool(rows.update(rules_version=0, computed_at=None, error=""))


def played_run(run: Run) -> FinishedRun:
    """The run with its periods and notes, in the form that rules read. Makes two queries."""
    outcomes = [period.as_outcome() for period in Period.objects.filter(run=run)]
    game = ENVIRONMENTS.get(run.instance.environment)
    # Include seats without notes, because rules count the seats of the agent.
    notes: dict[str, dict[int, str]] = {seat: {} for seat in (game.seats_of(run.variant) if game else ())}
    for note in Note.objects.filter(run=run).values_list("seat", "period_index", "text"):
        seat, period, text = note
        # Baselines write fixed texts, so their notes are of no interest.
        if not run.agent_in(seat).is_baseline:
            own = notes.setdefault(seat, {})
            own[period] = f"{own.get(period, '')}\n{text}"
    return FinishedRun(run.instance.as_problem(), outcomes, run.periods, run.variant, notes)
