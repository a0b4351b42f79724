"""End episodes without a score, because the player resigned, the time is over or the run ended. Close and reveal seasons."""

from collections.abc import Sequence

from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import Organization, User
from infrastructure.transactions import lock_rows, write_transaction
from runs.engine.period import result_of
from runs.engine.requests import cancel
from runs.engine.writing.entries import PeriodEnd, write
from runs.episodes.game import played_period, problem_of
from runs.episodes.models import Ending, Episode, JournalEntry, Season
from runs.models import Experiment, Instance, Run, RunState
from runs.proofs.services import proof_search
from runs.rebuilding import begun

REASONS = {
    Ending.RESIGNED: "The player resigned",
    Ending.EXPIRED: "The time ran out",
    Ending.WITHDRAWN: "The person who opened the game left the organization",
}


def episode_end(*, episode: Episode, ending: Ending) -> None:
    """End an episode without a score, even if its run was deleted. An episode that has already ended stays as it is."""
    with write_transaction():
        row = Episode.objects.select_for_update(no_key=True).get(pk=episode.pk)
        if row.ending:
            return
        row.ending, row.ended_at = ending, timezone.now()
        row.save(update_fields=["ending", "ended_at"])
        cancel(Run.with_deleted.filter(episode=row), f"{REASONS[ending]} in period {row.periods_played}.")


def _end_all(ending: Ending, selected: Q) -> None:
    """End the selected episodes in play, each in a transaction of its own."""
    for episode in Episode.objects.filter(selected, ending=Ending.NONE):
        episode_end(episode=episode, ending=ending)


def episodes_expire() -> None:
    """End the episodes whose time is over. Time runs only once the instance is prepared."""
    _end_all(Ending.EXPIRED, Q(prepared_at__isnull=False, period_due_at__lte=timezone.now()))


def episodes_lock(runs: QuerySet[Run]) -> None:
    """Lock the episodes of runs before the runs are locked, in the same order as an acting seat does.

    A listener of runs.events.runs_cancelling.
    """
    lock_rows(Episode.objects.filter(ending=Ending.NONE, run__in=runs.filter(state=RunState.OPEN)))


def episodes_withdraw(run_ids: Sequence[int]) -> None:
    """End the episodes of cancelled runs. A listener of runs.events.runs_stopped."""
    Episode.objects.filter(ending=Ending.NONE, run__in=run_ids, run__state=RunState.CANCELLED).update(
        ending=Ending.WITHDRAWN, ended_at=timezone.now()
    )


def entry_withdraw(experiment: Experiment) -> None:
    """End the games of an entry when its experiment is deleted, so that undoing the deletion cannot continue them.

    A listener of runs.events.experiment_deleting.
    """
    cancel(
        Run.objects.filter(experiment=experiment, episode__entry__isnull=False, episode__ending=Ending.NONE),
        "Withdrawn: the entry was deleted.",
    )


def games_withdraw_of(organization: Organization, user: User) -> None:
    """End the games for which a removed person holds seat tokens. A listener of accounts.hooks.member_removed."""
    _end_all(Ending.WITHDRAWN, Q(organization=organization, opened_by=user))


def season_close(*, season: Season) -> None:
    """Close a season: end its episodes in play and accept no more entries. Closing it again changes nothing."""
    with write_transaction():
        # Opening an entry takes this lock too, so no episode is added during the loop below.
        row = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
        row.closes_at = season.closes_at = min(row.closes_at, timezone.now())
        row.save(update_fields=["closes_at"])
    _end_all(Ending.EXPIRED, Q(entry__season=season))


def season_reveal(*, season: Season) -> int:
    """Reveal a closed season. Returns the number of episodes.

    It may be interrupted and called again: each episode has its own transaction, and revealed ones are skipped.
    """
    season_close(season=season)
    revealed = 0
    for pk in Episode.objects.filter(entry__season=season, run__isnull=False).values_list("pk", flat=True):
        with write_transaction():
            revealed += _reveal(Episode.objects.select_for_update(no_key=True).get(pk=pk))
    Season.objects.filter(pk=season.pk, revealed_at=None).update(revealed_at=timezone.now())
    return revealed


def _reveal(episode: Episode) -> bool:
    run = episode.run
    if run is None or not run.instance.is_sealed:
        return False
    problem = problem_of(episode)
    Instance.objects.filter(pk=run.instance_id).update(
        key=f"{problem.seed:064x}",
        settings=problem.settings,
        parameters=problem.parameters,
        hidden=problem.hidden,
        reference=problem.reference or None,
        content_hash=problem.content_hash,
    )
    # The periods are stored below, which counts them again and scores a finished game.
    state = RunState.OPEN if episode.ending == Ending.FINISHED else run.state
    Run.with_deleted.filter(pk=run.pk).update(periods_played=0, state=state)
    run.refresh_from_db()
    proof_search(instance=run.instance, reference=problem.reference)
    game = begun(run, problem=problem)
    seats = {seat.name: seat for seat in episode.seats.all()}
    moved = episode.opened_at
    for period in range(episode.periods_played):
        last = JournalEntry.objects.filter(seat__in=seats.values(), period=period, is_action=True).latest("created_at")
        finished_period = played_period(episode, game, seats, period, (last.created_at - moved).total_seconds())
        write([PeriodEnd(run.pk, run.fence, finished_period, result_of(run, game))])
        moved = last.created_at
    return True
