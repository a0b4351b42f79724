"""The cast of the accounts tests: one client for each role, in two organizations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

PASSWORD = "correct horse battery"


def signed_in(user: Any) -> Any:
    from django.test import Client

    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def join(organization: Any) -> Callable[..., Any]:
    """A new person as a member of the organization."""

    def join(name: str, role: str, *, of: Any = None) -> Any:
        from accounts.models import Membership, User

        user = User.objects.create_user(name, f"{name}@example.org", PASSWORD)
        return Membership.objects.create(organization=of or organization, user=user, role=role)

    return join


@pytest.fixture
def owner(alice: Any) -> Any:
    """The membership of the only owner."""
    return alice.memberships.get()


@pytest.fixture
def page(alice: Any) -> Any:
    return signed_in(alice)


@pytest.fixture
def other(db: None) -> Any:
    """The only owner's membership of another organization."""
    from accounts.models import User
    from accounts.services import organization_create

    user = User.objects.create_user("mallory", "mallory@example.org", PASSWORD)
    return organization_create(name="Other Lab", owner=user).memberships.get()


@pytest.fixture
def invite(owner: Any) -> Callable[..., Any]:
    """The path of the link of a new invitation."""

    def invite(email: str = "new@example.org", role: str = "editor") -> str:
        from accounts.services import invitation_create

        return f"/invitations/{invitation_create(actor=owner, email=email, role=role)[1]}/"

    return invite


@pytest.fixture
def played(launch: Callable[..., Any]) -> Callable[..., Any]:
    """An experiment whose runs were played to their end."""

    def play(*slugs: str, **options: Any) -> Any:
        from runs.engine.advance import advance

        experiment = launch(*slugs, **options)
        for run_id in experiment.runs.values_list("id", flat=True):
            advance(run_id)
        return experiment

    return play
