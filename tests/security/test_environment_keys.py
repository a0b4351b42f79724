"""Keys of the site's environment are sent to the providers' own addresses only, for organizations that may use them."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.running_site import Browser, RunningSite, running_site
from tests.stub_provider import StubAnswer, StubProvider

KEY = "sk-of-the-operator-0123456789"
pytestmark = pytest.mark.long
PASSWORD = "correct horse battery"
CAST = f"""
from accounts.models import Membership, Organization, User
for name, role in (("vera", "viewer"), ("edda", "editor")):
    user = User.objects.create_user(name, name + "@example.org", "{PASSWORD}")
    Membership.objects.create(organization=Organization.objects.get(), user=user, role=role)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with running_site(tmp_path_factory.mktemp("site"), OPENAI_API_KEY=KEY) as site:
        site.run(CAST)
        yield site


def signed_in(site: RunningSite, name: str) -> Browser:
    browser = Browser(site.address)
    assert browser.log_in(name, PASSWORD)
    return browser


@pytest.fixture
def listener() -> Iterator[StubProvider]:
    with StubProvider(lambda *_: StubAnswer(calls=(("report_sum", {"sum": 42}),))) as listener:
        yield listener


def openai_endpoint(person: Browser) -> int:
    found = re.search(
        r'<li id="endpoint-(\d+)">\s*<div class="key-head">\s*<div>\s*<h3>OpenAI<', person.open("/agents/").text
    )
    assert found
    return int(found[1])


def try_every_agent(person: Browser) -> None:
    for agent in sorted(set(re.findall(r"/agents/(\d+)/test/", person.open("/agents/").text))):
        person.fill(f"/agents/{agent}/test/", form="/account/")


def test_a_viewer_gets_no_key_by_an_organization_of_his_own(site: RunningSite, listener: StubProvider) -> None:
    vera = signed_in(site, "vera")
    assert vera.fill("/organization/new/", name="Mine").status_code == 200
    endpoint = openai_endpoint(vera)
    vera.fill(f"/agents/endpoints/{endpoint}/address/", base_url=listener.base_url("openai"), key="")
    try_every_agent(vera)
    assert KEY not in str([request.headers for request in listener.requests])
    assert "Key from OPENAI_API_KEY" not in vera.open("/agents/").text


def test_an_editor_gets_no_key_by_moving_an_endpoint(site: RunningSite, listener: StubProvider) -> None:
    edda = signed_in(site, "edda")
    assert "Key from OPENAI_API_KEY" in edda.open("/agents/").text
    endpoint = openai_endpoint(edda)
    address = f"/agents/endpoints/{endpoint}/address/"
    refused = edda.fill(address, base_url=listener.base_url("openai"), key="")
    assert refused.status_code == 422 and "Type the key of the new one" in refused.text
    edda.fill(address, base_url=listener.base_url("openai"), key="sk-my-own")
    edda.fill(f"/agents/endpoints/{endpoint}/key/", key="")
    try_every_agent(edda)
    assert listener.count > 0
    assert KEY not in str([request.headers for request in listener.requests])


@pytest.mark.django_db
def test_the_command_line_gives_no_key_to_an_endpoint_that_somebody_moved(
    organization: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from accounts.models import Endpoint
    from runs.launching.adhoc import agent_from_text
    from runs.launching.plan import LaunchError

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made = agent_from_text("openai:gpt@https://gateway.test/v1", organization).endpoint
    assert made is not None and made.has_key
    Endpoint.objects.filter(pk=made.pk).update(base_url="https://evil.test/v1", sealed_key=b"")
    with pytest.raises(LaunchError, match="endpoint of this name"):
        agent_from_text("openai:other@https://gateway.test/v1", organization)
    made.refresh_from_db()
    assert not made.has_key


@pytest.mark.django_db
def test_the_operator_allows_an_organization_the_keys(
    organization: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from accounts.models import AuditEntry
    from accounts.services import endpoint_key, organization_create

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made = organization_create(name="Second", owner=organization.memberships.get().user)

    def keys() -> list[str]:
        return [endpoint_key(made.endpoints.select_related("organization").get(provider="openai"))]

    assert keys() == [""]
    call_command("environment_keys", "second", "--allow")
    assert keys() == [KEY]
    call_command("environment_keys")
    assert capsys.readouterr().out.endswith("market-lab\nsecond\n")
    call_command("environment_keys", "second", "--refuse")
    assert keys() == [""]
    assert AuditEntry.objects.filter(organization=made, action__startswith="environment-keys").count() == 2
    with pytest.raises(CommandError, match="no organization with the slug third"):
        call_command("environment_keys", "third", "--allow")


@pytest.mark.django_db
def test_a_person_owns_ten_organizations_at_most(organization: Any) -> None:
    from accounts.models import Organization
    from tests import visitors

    page = visitors.signed_in(organization.memberships.get().user)
    codes = [page.post("/organization/new/", {"name": f"Lab {number}"}).status_code for number in range(10)]
    assert codes == [302] * 9 + [422]
    assert Organization.objects.count() == 10
    assert "Delete one before making another" in page.post("/organization/new/", {"name": "More"}).content.decode()
