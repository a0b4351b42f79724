"""An endpoint on our own network is refused when it is saved, in every notation, and in runs and forms."""

import pytest
from django.core.exceptions import ValidationError

from accounts.addresses import check_base_url
from agents.addresses import is_public
from tests.security.address_vectors import ALLOWED, NAMES, VECTORS

pytestmark = pytest.mark.usefixtures("name_server")
OWN = ("http://127.0.0.1:8080/v1", "http://localhost:11434/v1", "http://[::1]:8000", "http://10.0.0.8/v1")
UNREADABLE = ("http://[::1", "https://[x]/v1", "http://lab\u2100.test/v1")


@pytest.fixture(autouse=True)
def _none_of_our_network(settings):
    settings.ALLOW_PRIVATE_ENDPOINTS = False


def test_the_table_of_vectors_is_long_enough():
    assert len(set(VECTORS)) == len(VECTORS) >= 150


@pytest.mark.long
def test_each_vector_is_refused_with_a_sentence(unreached):
    for vector in VECTORS:
        with pytest.raises(ValidationError) as refused:
            check_base_url(vector.format(port=unreached))
        (message,) = refused.value.messages
        assert message.endswith("."), vector


def test_public_addresses_are_accepted_and_private_addresses_if_allowed(settings, unreached):
    assert [check_base_url(address) for address in ALLOWED] == list(ALLOWED)
    settings.ALLOW_PRIVATE_ENDPOINTS = True
    assert [check_base_url(address) for address in OWN] == list(OWN)


def test_only_the_public_names_of_the_table_are_public():
    for name, addresses in NAMES.items():
        assert all(map(is_public, addresses)) == name.startswith("good"), name


def test_invalid_addresses_are_not_public_and_embedded_public_addresses_are():
    for text in ("", "127.0.0.1 ", "localhost", "999.1.1.1", "::ffff:8.8.8.8%lo", "8.8.8"):
        assert not is_public(text), text
    for address in ("::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2606:4700::1111", "8.8.8.8"):
        assert is_public(address), address


@pytest.fixture
def house(organization):
    """An agent whose endpoint's address was taken when it meant something else, or was put into the database."""
    from accounts.models import Endpoint
    from runs.services import agent_create

    endpoint = Endpoint.objects.create(
        organization=organization, name="House", provider="openai-compatible", base_url="http://good.test/v1"
    )
    return agent_create(organization=organization, name="House", endpoint=endpoint, model="house-1")


@pytest.mark.long
def test_the_forms_refuse_every_vector(page, house, unreached):
    from accounts.models import Endpoint

    before = Endpoint.objects.count()
    for place, vector in enumerate(VECTORS):
        typed = {"name": "New", "provider": "openai-compatible", "base_url": vector.format(port=unreached)}
        form = ("endpoints/new/", f"endpoints/{house.endpoint_id}/address/")[place % 2]
        assert page.post(f"/agents/{form}", typed).status_code == 422, vector
    house.endpoint.refresh_from_db()
    assert Endpoint.objects.count() == before and house.endpoint.base_url == "http://good.test/v1"


@pytest.mark.long
def test_a_connection_test_reaches_no_vector(page, house, unreached):
    from accounts.models import Endpoint

    for vector in VECTORS:
        Endpoint.objects.filter(pk=house.endpoint_id).update(base_url=vector.format(port=unreached))
        text = page.post(f"/agents/{house.pk}/test/").text
        assert "notice warn" in text and "It works" not in text, vector


@pytest.mark.parametrize("address", UNREADABLE)
@pytest.mark.parametrize("is_open", [True, False], ids=["own network", "public only"])
def test_every_page_of_an_agent_reports_an_unreadable_address(
    page, house, launch, unreached, settings, address, is_open
):
    from accounts.models import Endpoint
    from runs.engine.advance import advance

    settings.ALLOW_PRIVATE_ENDPOINTS = is_open
    run = launch("house").runs.get()
    Endpoint.objects.filter(pk=house.endpoint_id).update(base_url=address, header_names=["X-Team"])
    told = page.post(f"/agents/{house.pk}/test/")
    assert told.status_code == 200 and "notice warn" in told.text
    advance(run.pk)
    run.refresh_from_db()
    assert run.state == "paused" and "address" in run.reason
    places = ("", "house/", "new/", f"{house.pk}/edit/", f"endpoints/{house.endpoint_id}/address/")
    for where in (*(f"/agents/{place}" for place in places), f"/runs/{run.pk}/", "/experiments/new/?agents=house"):
        assert page.get(where).status_code == 200, where
    typed = {"base_url": "http://good.test/v1", "key": "sk-of-the-new-address", "headers": "X-Team: blue"}
    assert page.post(f"/agents/endpoints/{house.endpoint_id}/address/", typed).status_code == 302
    house.endpoint.refresh_from_db()
    assert house.endpoint.base_url == "http://good.test/v1"


def test_a_webhook_with_an_unreadable_address_is_listed(page, organization):
    from workspace.webhooks.models import Webhook

    Webhook.objects.create(organization=organization, url=UNREADABLE[0], sealed_secret=b"", events=["ping"])
    assert page.get("/organization/webhooks/").status_code == 200


def test_a_run_with_a_refused_address_is_paused_at_once(page, house, launch, unreached):
    from accounts.models import Endpoint
    from runs.engine.advance import advance
    from runs.models import Exchange

    run = launch("house").runs.get()
    Endpoint.objects.filter(pk=house.endpoint_id).update(base_url=f"http://loopback.test:{unreached}/v1")
    advance(run.pk)
    run.refresh_from_db()
    assert run.state == "paused" and run.cost_nano == 0
    assert Exchange.objects.filter(run=run).count() == 1
    for text in (run.reason, page.get(f"/runs/{run.pk}/").text):
        assert "This address is private." in text
