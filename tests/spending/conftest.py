from __future__ import annotations

from tests.accounts.conftest import join, other, owner  # noqa: F401
from tests.pages.conftest import billed, page, stranger  # noqa: F401
