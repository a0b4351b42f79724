"""End episodes without a score, because the player resigned, the time is over or the run ended. Close and reveal seasons."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import Action, Membership, Organization, User
from accounts.services.audit import audit_record
from infrastructure.transactions import lock_rows, wake, write_transaction
from runs.engine.period import result_of
from runs.engine.requests import cancel
from runs.engine.writing.entries import PeriodEnd, write
from runs.episodes.game import played_period, problem_of
from runs.episodes.models import Ending, Entry, Episode, JournalEntry, Season
from runs.models import Experiment, Instance, Run, RunState
from runs.proofs.services import proof_search
from runs.rebuilding import begun

REVEAL = "episodes.tasks.reveal"
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


def season_close(*, season: Season, actor: Membership | None = None) -> bool:
    """Close a season: end its episodes in play and accept no more entries. Returns False if it was closed before.

    The secret stays hidden until the announced end of the season, or until `season_reveal_request`.

    actor: the membership in which a site operator acts, whose organization has the audit entry; None for a command
    """
    with write_transaction():
        # Opening an entry takes this lock too, so no episode is added during the loop below.
        row = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
        now = timezone.now()
        is_first = now < row.closes_at
        row.closes_at = season.closes_at = min(row.closes_at, now)
        row.save(update_fields=["closes_at"])
        if row.revealed_at is None:
            entries_of_operators(row.entered.all()).update(is_out_of_competition=True)
        if is_first and actor is not None:
            _record(actor, Action.SEASON_CLOSED, row)
    _end_all(Ending.EXPIRED, Q(entry__season=season))
    return is_first


def entries_of_operators(entries: QuerySet[Entry]) -> QuerySet[Entry]:
    """Those entries whose organization has a member who is a site operator."""
    operated = Membership.objects.filter(user__is_operator=True).values("organization")
    return entries.filter(organization__in=operated)


def season_reveal_request(*, season: Season, actor: Membership | None = None) -> bool:
    """Let workers reveal a closed season now, which cannot be undone. Returns False if that was requested before.

    Raises ValidationError if the season is not closed. actor: as of `season_close`
    """
    with write_transaction():
        row = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
        now = timezone.now()
        if now < row.closes_at:
            raise ValidationError("Close the season before you reveal it.")
        if row.revealed_at is not None or row.reveals_at <= now:
            return False
        row.reveals_at = season.reveals_at = now
        row.save(update_fields=["reveals_at"])
        if actor is not None:
            _record(actor, Action.SEASON_REVEALED, row)
        transaction.on_commit(lambda: wake(REVEAL))
    return True


def _record(actor: Membership, action: Action, season: Season) -> None:
    audit_record(organization=actor.organization, actor=actor.user, action=action, subject=season.name)


def seasons_to_reveal() -> QuerySet[Season]:
    """Closed seasons whose announced end has come, or whose reveal an operator requested."""
    now = timezone.now()
    return Season.objects.filter(closes_at__lte=now, reveals_at__lte=now, revealed_at=None)


def season_reveal(*, season: Season) -> int:
    """Close and reveal a season. Returns the number of episodes.

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
