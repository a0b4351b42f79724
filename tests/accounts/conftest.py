"""The cast of the accounts tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def invite(owner: Any) -> Callable[..., Any]:
    """The path of the link of a new invitation."""

    def invite(email: str = "new@example.org", role: str = "editor") -> str:
        from accounts.services import invitation_create

        return f"/invitations/{invitation_create(actor=owner, email=email, role=role)[1]}/"

    return invite
