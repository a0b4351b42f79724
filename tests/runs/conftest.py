from __future__ import annotations

from collections.abc import Iterator

import pytest

import limiter
from runs.engine import lease


@pytest.fixture(autouse=True)
def _nothing_held_outlives_its_test(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Tests take leases that nobody gives back, and their endpoints have the numbers of endpoints before them."""
    limiter.forget()
    monkeypatch.setattr(lease, "_outage_ended", -1e9)
    yield
    lease.held.clear()
