"""The end of a season: its secret is revealed, and every run gets its instance, its periods and its score."""

from django.utils import timezone

from infrastructure.transactions import write_transaction
from runs.engine.period import result_of
from runs.engine.writing.entries import PeriodEnd, write
from runs.episodes.game import played_period, problem_of
from runs.episodes.models import Ending, Episode, JournalEntry, Season
from runs.episodes.services.ending import episode_end
from runs.models import Instance, Run, RunState
from runs.proofs.services import proof_search
from runs.rebuilding import begun


def season_close(*, season: Season) -> None:
    """End what is in play and no longer accept entries. Closing again changes nothing."""
    with write_transaction():
        # An entry that is being opened holds this lock, so the loop below finds its episodes.
        row = Season.objects.select_for_update(no_key=True).get(pk=season.pk)
        row.closes_at = season.closes_at = min(row.closes_at, timezone.now())
        row.save(update_fields=["closes_at"])
    for episode in Episode.objects.filter(entry__season=season, ending=Ending.NONE):
        episode_end(episode=episode, ending=Ending.EXPIRED)


def season_reveal(*, season: Season) -> int:
    """Reveal a closed season; return the number of episodes. May be stopped and called again: each episode is one
    transaction, and those that are revealed are left out."""
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
    # The run's own count grows again with each period that is stored. A run whose game was finished is scored in any case.
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
