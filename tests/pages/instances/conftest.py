"""Designs, and a worker's part of a measurement."""

import pytest

from pages.instances.measuring import MEASUREMENTS, claims
from pages.instances.models import Measurement

SMALL_SETTINGS = {"products": 2, "nests": 1}


@pytest.fixture
def design_of(organization, alice):
    """Save a design; by default of pricing with two products."""
    from runs.services.designs import design_create

    def create(name="Two products", environment="pricing", settings=SMALL_SETTINGS, **changes):
        values = {"organization": organization, "user": alice} | changes
        return design_create(environment=environment, name=name, settings=settings, **values)

    return create


@pytest.fixture
def launched_on(launch):
    """Launch baselines on a design, for two periods."""

    def start(design, *slugs, **options):
        values = {"environments": (design.environment,), "difficulties": (design.difficulty,), "designs": (design,)}
        return launch(*(slugs or ("random",)), **values | {"periods": 2} | options)

    return start


@pytest.fixture(autouse=True)
def _no_claims_left(db):
    """Before the database is closed to the heartbeat, which renews those that a test did not give back."""
    yield
    claims.held.clear()


@pytest.fixture
def measured():
    """Play waiting measurements as a worker does, and return the newest."""

    def play():
        while MEASUREMENTS.work_next():
            pass
        return Measurement.objects.latest("id")

    return play
