import pytest


@pytest.fixture
def finished(played):
    """A short finished run of the optimum, which finds it in period 0."""

    def play(slug="optimum", **options):
        return played(slug, **{"environments": ("procurement",), "periods": 3} | options).runs.get()

    return play
