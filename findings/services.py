"""Compute and store the findings of finished runs."""

import logging
from collections import defaultdict
from datetime import timedelta

from django.db import IntegrityError, InterfaceError, OperationalError
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from agents.notes import storable
from environments.findings import VERSION, Played
from environments.registry import findings_in
from findings.models import Finding, RunFindings
from infrastructure.transactions import write_transaction
from runs.models import Note, Period, Run, RunState

logger = logging.getLogger(__name__)

CLAIM_SECONDS = 120
"""Far longer than a computation, which takes a fraction of a second."""

CANDIDATES = 4

CURRENT = Q(rules_version__gte=VERSION)
"""During an upgrade workers of both versions run. The older ones leave the newer findings alone."""


def runs_due() -> QuerySet[Run]:
    """Finished runs without findings of the current rules, which no worker has claimed."""
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
                claimed = RunFindings.objects.filter(~CURRENT & free, pk=row.pk).update(claimed_until=until)
        except IntegrityError:
            continue  # the run was deleted
        if claimed:
            return Run.objects.filter(pk=run_id).select_related("instance", "agent", "rival").first()
    return None


def findings_compute(*, run: Run) -> None:
    """Compute the findings of a finished run and replace the stored ones in one transaction.

    A fault in a rule is stored as the error of the run; it is computed again only with the next version of the rules.
    """
    found, error = [], ""
    try:
        found = findings_in(played(run))
    except (OperationalError, InterfaceError):
        raise
    except Exception as fault:  # a bug must show as one and not be retried for ever
        logger.exception("The findings of run %d could not be computed.", run.pk)
        error = storable(f"{type(fault).__name__}: {fault}")[:1000]
    rows = [
        Finding(
            organization_id=run.organization_id,
            run=run,
            rule=one.rule,
            period=one.period,
            seat=one.seat,
            value=one.value,
            sentence=storable(one.sentence),
        )
        for one in found
    ]
    values = {"rules_version": VERSION, "claimed_until": None, "computed_at": Now(), "error": error}
    try:
        with write_transaction():
            # The lock on this row makes two computations of a run wait for each other.
            RunFindings.objects.update_or_create(run_id=run.pk, defaults=values)
            Finding.objects.filter(run=run).delete()
            Finding.objects.bulk_create(rows)
    except IntegrityError:
        logger.info("Run %d was deleted while its findings were computed.", run.pk)


def played(run: Run) -> Played:
    """A finished run with its periods and notes, in two queries."""
    outcomes = [period.as_outcome() for period in Period.objects.filter(run=run)]
    notes: dict[str, dict[int, str]] = defaultdict(dict)
    for note in Note.objects.filter(run=run).values_list("seat", "period_index", "text"):
        seat, period, text = note
        # Baselines write fixed texts, about which there is nothing to find.
        if not run.agent_in(seat).is_baseline:
            notes[seat][period] = f"{notes[seat].get(period, '')}\n{text}"
    return Played(run.instance.as_problem(), outcomes, run.periods, run.variant, notes)
