"""The same through the pages a person uses and through a run, where endpoints on the own network are off."""

from typing import Any

import pytest

from tests.security.address_vectors import VECTORS
from tests.visitors import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("name_server")]


@pytest.fixture(autouse=True)
def _none_of_our_network(settings: Any) -> None:
    settings.ALLOW_PRIVATE_ENDPOINTS = False


@pytest.fixture
def page(alice: Any) -> Any:
    return signed_in(alice)


@pytest.fixture
def house(organization: Any) -> Any:
    """An agent whose endpoint's address was taken when it meant something else, or was put into the database."""
    from accounts.models import Endpoint
    from runs.services import agent_create

    endpoint = Endpoint.objects.create(
        organization=organization, name="House", provider="openai-compatible", base_url="http://good.test/v1"
    )
    return agent_create(organization=organization, name="House", endpoint=endpoint, model="house-1")


def test_the_forms_refuse_every_vector(page: Any, house: Any, canary: Any, canary_port: int, dialled: Any) -> None:
    from accounts.models import Endpoint

    before = Endpoint.objects.count()
    for place, vector in enumerate(VECTORS):
        typed = {"name": "New", "provider": "openai-compatible", "base_url": vector.format(port=canary_port)}
        form = ("endpoints/new/", f"endpoints/{house.endpoint_id}/address/")[place % 2]
        assert page.post(f"/agents/{form}", typed).status_code == 422, vector
    house.endpoint.refresh_from_db()
    assert Endpoint.objects.count() == before and house.endpoint.base_url == "http://good.test/v1"
    assert not dialled and canary.count == 0


def test_a_connection_test_reaches_none_of_them(
    page: Any, house: Any, canary: Any, canary_port: int, dialled: Any
) -> None:
    from accounts.models import Endpoint

    for vector in VECTORS:
        Endpoint.objects.filter(pk=house.endpoint_id).update(base_url=vector.format(port=canary_port))
        text = page.post(f"/agents/{house.pk}/test/").content.decode()
        assert "notice warn" in text and "It works" not in text, vector
    assert not dialled and canary.count == 0


def test_a_run_is_paused_at_once_with_the_sentence(
    page: Any, house: Any, launch: Any, canary: Any, canary_port: int, dialled: Any
) -> None:
    from accounts.models import Endpoint
    from runs.engine.advance import advance
    from runs.models import Exchange

    run = launch("house", seeds=(0,)).runs.get()
    Endpoint.objects.filter(pk=house.endpoint_id).update(base_url=f"http://loopback.test:{canary_port}/v1")
    advance(run.pk)
    run.refresh_from_db()
    assert run.state == "paused" and run.cost_nano == 0
    assert "This address is private." in run.reason
    assert Exchange.objects.filter(run=run).count() == 1
    assert "This address is private." in page.get(f"/runs/{run.pk}/").content.decode()
    assert not dialled and canary.count == 0
