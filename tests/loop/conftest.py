"""These tests need neither Django nor a database, so they run without its plugin: pytest -p no:django."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _quick_settings() -> None:
    """Replaces the site's fixture of this name: there are no passwords here."""
