"""Compute the references of opened episodes' instances. The time limits of an episode start when its reference is known."""

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from runs.engine.exceptions import BeingSolved
from runs.engine.reference import ensure_drawn, ensure_reference, solve
from runs.episodes.game import problem_of
from runs.episodes.models import Ending, Episode

PREPARE = "episodes.tasks.prepare"
UNPREPARED = Q(ending=Ending.NONE, prepared_at=None, run__isnull=False)


def episode_prepare(*, episode: Episode) -> bool:
    """Compute the reference of an episode's instance. Returns False while another worker computes it."""
    run = episode.run
    if run is None:
        return False
    rows = Episode.objects.filter(pk=episode.pk, prepared_at=None)
    try:
        if run.instance.is_sealed:
            solve(run.instance, problem_of(episode), lambda reference: rows.update(reference=reference))
        else:
            ensure_drawn(run.instance)
            ensure_reference(run.instance)
    except BeingSolved:
        return False
    now = timezone.now()
    times = {
        "prepared_at": now,
        "moved_at": now,
        "period_due_at": now + timedelta(seconds=episode.seconds_a_period),
        "due_at": now + (episode.due_at - episode.opened_at),
    }
    done = bool(rows.update(**times))
    episode.refresh_from_db(fields=list(times))
    return done
