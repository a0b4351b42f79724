"""What every tormented site is held against."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.rig import CI, undisturbed


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What every batch of runs exports when nothing befalls it."""
    return undisturbed(tmp_path_factory.mktemp("calm"), CI.size)
