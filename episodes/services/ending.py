"""How episodes end without a score: by resignation, by time, or with their run."""

from collections.abc import Sequence

from django.utils import timezone

from episodes.models import Ending, Episode
from infrastructure.transactions import write_transaction
from runs.engine.requests import cancel
from runs.models import Run, RunState

REASONS = {
    Ending.RESIGNED: "The player resigned",
    Ending.EXPIRED: "The time ran out",
}


def episode_end(*, episode: Episode, ending: Ending) -> None:
    """End an episode in play without a score. One that ended before stays as it is."""
    with write_transaction():
        row = Episode.objects.select_for_update().get(pk=episode.pk)
        if not row.in_play:
            return
        row.ending, row.ended_at = ending, timezone.now()
        row.save(update_fields=["ending", "ended_at"])
        cancel(Run.objects.filter(episode=row), f"{REASONS[ending]} in period {row.periods_played}.")


def episodes_expire() -> None:
    """End the episodes whose time ran out."""
    for episode in Episode.objects.filter(ending=Ending.NONE, period_due_at__lte=timezone.now()):
        episode_end(episode=episode, ending=Ending.EXPIRED)


def episodes_withdraw(run_ids: Sequence[int]) -> None:
    """End the episodes of runs that somebody cancelled. A listener of runs.events.runs_stopped."""
    open_ones = Episode.objects.filter(ending=Ending.NONE, run__in=run_ids, run__state=RunState.CANCELLED)
    open_ones.update(ending=Ending.WITHDRAWN, ended_at=timezone.now())
