"""Celery tasks: prepare instances, end episodes whose time is over, reveal seasons."""

import logging

from celery import shared_task
from django.db.models import Min

from infrastructure.transactions import let_go_of_connection, wake
from runs.episodes.models import Episode
from runs.episodes.services.ending import REVEAL, episodes_expire, season_reveal, seasons_to_reveal
from runs.episodes.services.preparing import PREPARE, UNPREPARED, episode_prepare

logger = logging.getLogger(__name__)


@shared_task(name=PREPARE)
def prepare() -> None:
    """Compute the references of opened episodes' instances. If one fails, the others continue."""
    try:
        tried: set[int] = set()
        while turn := _oldest_of_each_organization(tried):
            tried |= {episode.pk for episode in turn}
            for episode in turn:
                try:
                    episode_prepare(episode=episode)
                except Exception:
                    logger.exception("Episode %d could not be prepared.", episode.pk)
    finally:
        let_go_of_connection()


def _oldest_of_each_organization(tried: set[int]) -> list[Episode]:
    """The oldest unprepared episode of each organization, without those in `tried`.

    Organizations take turns, because one may open many episodes whose references take minutes each.
    """
    untried = Episode.objects.filter(UNPREPARED).exclude(pk__in=tried).order_by().values("organization")
    oldest = untried.annotate(first=Min("id")).values("first")
    return list(Episode.objects.filter(pk__in=oldest).order_by("id"))


@shared_task(name=REVEAL)
def reveal() -> None:
    """Reveal the seasons that are over. If one fails, the others continue."""
    try:
        for season in seasons_to_reveal():
            try:
                season_reveal(season=season)
            except Exception:
                logger.exception("The season %s could not be revealed.", season)
    finally:
        let_go_of_connection()


def sweep() -> None:
    """End episodes whose time is over, and wake workers whose messages were lost. A listener of runs.events.sweeping."""
    episodes_expire()
    if Episode.objects.filter(UNPREPARED).exists():
        wake(PREPARE)
    if seasons_to_reveal().exists():
        wake(REVEAL)
