from tests.pages.dashboard.conftest import billed  # noqa: F401
