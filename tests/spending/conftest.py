from tests.pages.conftest import billed  # noqa: F401
