"""Periods and scores of runs that were played before the proof of their instance."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from infrastructure.transactions import write_transaction
from runs.engine.period import result_of
from runs.events import emit_run_scored
from runs.models import Period, Run, RunState
from runs.models.runs import ACTIVE
from runs.rebuilding import begun


def unscored(instance_id: int) -> QuerySet[Run]:
    """Runs with a period or an end from before the proof, those of deleted experiments too: these may come back."""
    before = Period.objects.filter(run=OuterRef("pk"), quality=None)
    return Run.with_deleted.filter(
        Exists(before) | Q(state=RunState.FINISHED, score=None), instance=instance_id
    ).order_by("id")


def run_score(run_id: int) -> bool:
    """Play the stored actions against the proven reference, and store what comes out otherwise than before.

    All or nothing. Returns False if the run went on meanwhile, and True if it rests and has everything now. One in play
    may get further periods from before the proof, and asks for its score when it ends.
    """
    run = Run.with_deleted.select_related("instance", "agent", "rival", "prompts").get(pk=run_id)
    rows = list(Period.objects.filter(run=run))
    game = begun(run, [row.as_outcome() for row in rows])
    result = result_of(run, game) if run.state == RunState.FINISHED else {}
    quality = game.outcomes[-1].quality if rows else None
    same = Run.with_deleted.filter(pk=run_id, state=run.state, periods_played=len(rows))
    with write_transaction():
        if not same.update(last_quality=quality, **result):
            return False
        for row, outcome in zip(rows, game.outcomes, strict=True):
            if row.as_outcome() != outcome:
                Period.objects.filter(pk=row.pk).update(result=outcome.result, quality=outcome.quality)
        if result:
            emit_run_scored(run_id)
    return run.state not in ACTIVE
