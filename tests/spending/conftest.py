from __future__ import annotations

from tests.pages.conftest import billed  # noqa: F401
