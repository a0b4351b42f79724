"""How episodes end without a score: by resignation, by time, or with their run."""

from collections.abc import Sequence

from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import Organization, User
from infrastructure.transactions import lock_rows, write_transaction
from runs.engine.requests import cancel
from runs.episodes.models import Ending, Episode
from runs.models import Experiment, Run, RunState

REASONS = {
    Ending.RESIGNED: "The player resigned",
    Ending.EXPIRED: "The time ran out",
    Ending.WITHDRAWN: "The person who opened the game left the organization",
}


def episode_end(*, episode: Episode, ending: Ending) -> None:
    """End an episode without a score, also of a deleted run. One that ended before stays as it is."""
    with write_transaction():
        row = Episode.objects.select_for_update(no_key=True).get(pk=episode.pk)
        if row.ending:
            return
        row.ending, row.ended_at = ending, timezone.now()
        row.save(update_fields=["ending", "ended_at"])
        cancel(Run.with_deleted.filter(episode=row), f"{REASONS[ending]} in period {row.periods_played}.")


def episodes_expire() -> None:
    """End the episodes whose time ran out. It does not run before the instance is prepared."""
    overdue = Episode.objects.filter(ending=Ending.NONE, prepared_at__isnull=False, period_due_at__lte=timezone.now())
    for episode in overdue:
        episode_end(episode=episode, ending=Ending.EXPIRED)


def episodes_lock(runs: QuerySet[Run]) -> None:
    """Lock the episodes of runs before the runs, as a seat that acts does. A listener of runs.events.runs_cancelling."""
    lock_rows(Episode.objects.filter(ending=Ending.NONE, run__in=runs.filter(state=RunState.OPEN)))


def episodes_withdraw(run_ids: Sequence[int]) -> None:
    """End the episodes of runs that somebody cancelled. A listener of runs.events.runs_stopped."""
    open_ones = Episode.objects.filter(ending=Ending.NONE, run__in=run_ids, run__state=RunState.CANCELLED)
    open_ones.update(ending=Ending.WITHDRAWN, ended_at=timezone.now())


def entry_withdraw(experiment: Experiment) -> None:
    """End the games of an entry whose experiment is deleted, so that an undo cannot bring them back into play.

    A listener of runs.events.experiment_deleting.
    """
    in_play = Run.objects.filter(experiment=experiment, episode__entry__isnull=False, episode__ending=Ending.NONE)
    cancel(in_play, "Withdrawn: the entry was deleted.")


def games_withdraw_of(organization: Organization, user: User) -> None:
    """End the games whose seats a person has the tokens of. A listener of accounts.hooks.member_removed."""
    for episode in Episode.objects.filter(organization=organization, opened_by=user, ending=Ending.NONE):
        episode_end(episode=episode, ending=Ending.WITHDRAWN)
