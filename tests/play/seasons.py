"""Seasons for tests."""

from datetime import timedelta

from django.utils import timezone


def open_season(name="Winter season", **values):
    from episodes.services import season_create

    now = timezone.now()
    usual = {"environments": ["pricing"], "difficulties": ["BASIC"], "instances": 2, "entries": 3}
    times = {"opens_at": now - timedelta(minutes=1), "closes_at": now + timedelta(days=30)}
    return season_create(name=name, **usual | times | values)
