"""A link is answered so often a minute, and so often at once."""

from __future__ import annotations

import pytest
from django.test import Client

from sharing.services import share_link_create, token_hash
from sharing.views import visit

pytestmark = pytest.mark.django_db


@pytest.fixture
def path(owner, played):
    return f"/s/{share_link_create(actor=owner, target=played(), lasts='7')[1]}/"


def test_more_requests_a_minute_than_a_link_has_are_told_to_wait(path, monkeypatch):
    monkeypatch.setattr(visit, "REQUESTS_A_MINUTE", 2)
    # So that no minute ends meanwhile.
    monkeypatch.setattr("infrastructure.limits.time.time", lambda: 1_800_000_015.0)
    assert [Client().get(path).status_code for _ in range(2)] == [200, 200]
    refused = Client().get(path)
    assert refused.status_code == 429 and refused["Retry-After"] == "45"
    assert "Too many visitors" in refused.content.decode()
    assert refused["Cache-Control"] == "private, no-store" and not refused.cookies


def test_answers_made_at_once_are_few(path, monkeypatch):
    monkeypatch.setattr(visit, "WAIT_SECONDS", 0.05)
    name = token_hash(path.split("/")[2])
    made = [visit._visits.take(name) for _ in range(visit.AT_ONCE)]
    assert Client().get(path).status_code == 429
    made.pop().release()
    assert Client().get(path).status_code == 200
