from __future__ import annotations

from collections.abc import Iterator

import pytest

from runs.engine import lease


@pytest.fixture(autouse=True)
def _no_lease_outlives_its_test() -> Iterator[None]:
    """Tests take leases that nobody gives back; the thread that renews them must not reach for a database that is gone."""
    yield
    lease.forget_all()
