"""The cast of the page tests: a signed-in owner, a viewer, a stranger, and experiments in every state."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest


@pytest.fixture
def page(client: Any, alice: Any) -> Any:
    """A client signed in as the owner."""
    client.force_login(alice)
    return client


@pytest.fixture
def viewer(organization: Any, alice: Any) -> Any:
    """A client signed in as a viewer of the organization."""
    from django.test import Client

    from accounts.models import Membership, User

    user = User.objects.create_user("vera", "vera@example.org", "correct horse battery")
    Membership.objects.create(organization=organization, user=user, role="viewer")
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def stranger(db: None) -> Any:
    """A client signed in as the owner of another organization."""
    from django.test import Client

    from accounts.models import User
    from accounts.services import organization_create

    user = User.objects.create_user("mallory", "mallory@example.org", "correct horse battery")
    organization_create(name="Other Lab", slug="other-lab", owner=user)
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def played(launch: Callable[..., Any]) -> Callable[..., Any]:
    """An experiment whose runs were played to their end by the engine."""

    def play(*slugs: str, **options: Any) -> Any:
        from runs.engine.advance import advance

        experiment = launch(*slugs, **options)
        for run_id in experiment.runs.values_list("id", flat=True):
            advance(run_id)
        return experiment

    return play


@pytest.fixture
def painted(launch: Callable[..., Any]) -> Callable[..., Any]:
    """An experiment whose runs are set, in turn, to states a worker would leave them in; nothing is played."""

    def paint(*slugs: str, states: tuple[str, ...] = STATES, **options: Any) -> Any:
        from django.utils import timezone

        from runs.models import Run

        experiment = launch(*slugs, **options)
        runs = list(experiment.runs.order_by("id"))
        begun = timezone.now() - timedelta(hours=1)
        for place, run in enumerate(runs):
            run.state = states[place % len(states)]
            if run.state != "queued":
                run.started_at, run.progressed_at = begun, begun + timedelta(minutes=30)
                run.periods_played, run.last_quality = run.periods // 2, 0.5
            if run.state == "finished":
                run.periods_played, run.score, run.ended_at = run.periods, 0.9, run.progressed_at
            if run.state in {"waiting", "paused", "stalled", "errored"}:
                run.reason = f"The reason of a {run.state} run."
        fields = [
            "state",
            "started_at",
            "progressed_at",
            "periods_played",
            "last_quality",
            "score",
            "ended_at",
            "reason",
        ]
        Run.objects.bulk_update(runs, fields, batch_size=500)
        return experiment

    return paint


STATES = ("finished", "running", "queued", "waiting", "paused", "errored", "stalled", "cancelled")
