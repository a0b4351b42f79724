"""Celery tasks: prepare instances, end episodes whose time ran out, reveal seasons that are over."""

from celery import shared_task
from django.utils import timezone

from episodes.models import Episode, Season
from episodes.services.ending import episodes_expire
from episodes.services.preparing import PREPARE, UNPREPARED, episode_prepare
from episodes.services.revealing import season_reveal
from infrastructure.connections import let_go_of_connection
from infrastructure.wake_ups import wake

REVEAL = "episodes.tasks.reveal"


@shared_task(name=PREPARE)
def prepare() -> None:
    """Compute the references of the instances of opened episodes."""
    try:
        for episode in Episode.objects.filter(UNPREPARED).order_by("id"):
            episode_prepare(episode=episode)
    finally:
        let_go_of_connection()


@shared_task(name=REVEAL)
def reveal() -> None:
    """Reveal the seasons that are over."""
    try:
        for season in Season.objects.filter(closes_at__lte=timezone.now(), revealed_at=None):
            season_reveal(season=season)
    finally:
        let_go_of_connection()


def sweep() -> None:
    """End episodes whose time ran out, and wake workers for lost messages. A listener of runs.events.sweeping."""
    episodes_expire()
    if Episode.objects.filter(UNPREPARED).exists():
        wake(PREPARE)
    if Season.objects.filter(closes_at__lte=timezone.now(), revealed_at=None).exists():
        wake(REVEAL)
