"""Environment keys are sent only to the providers' own addresses, for organizations that may use them."""

import re

import pytest
from django.core.management import CommandError, call_command

from accounts.models import AuditEntry, Endpoint, Organization
from accounts.services.endpoints import endpoint_key
from accounts.services.organizations import organization_create
from runs.launching.adhoc import agent_from_text
from runs.launching.plan import LaunchError
from tests.running_site import running_site
from tests.stub_provider import StubAnswer, StubProvider
from tests.visitors import PASSWORD

KEY = "sk-of-the-operator-0123456789"
pytestmark = pytest.mark.long
CAST = f"""
from accounts.models import Membership, Organization, User
for name, role in (("vera", "viewer"), ("edda", "editor")):
    user = User.objects.create_user(name, name + "@example.org", "{PASSWORD}")
    Membership.objects.create(organization=Organization.objects.get(), user=user, role=role)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running_site(tmp_path_factory.mktemp("site"), OPENAI_API_KEY=KEY) as site:
        site.run(CAST)
        yield site


@pytest.fixture
def listener():
    with StubProvider(lambda *_: StubAnswer(calls=(("report_sum", {"sum": 42}),))) as listener:
        yield listener


def openai_endpoint(person):
    pattern = r'<li id="endpoint-(\d+)">\s*<div class="key-head">\s*<div>\s*<h3>OpenAI<'
    (found,) = re.findall(pattern, person.open("/agents/endpoints/").text)
    return f"/agents/endpoints/{found}"


def try_every_agent(person):
    for agent in sorted(set(re.findall(r"/agents/(\d+)/test/", person.open("/agents/").text))):
        person.fill(f"/agents/{agent}/test/", form="/account/")


def test_a_viewer_gets_no_key_through_a_new_organization(site, listener):
    vera = site.browser("vera", PASSWORD)
    assert vera.fill("/organization/new/", name="Mine").status_code == 200
    vera.fill(f"{openai_endpoint(vera)}/address/", base_url=listener.base_url("openai"), key="")
    try_every_agent(vera)
    assert KEY not in str([request.headers for request in listener.requests])
    assert "Key from OPENAI_API_KEY" not in vera.open("/agents/").text


def test_an_editor_gets_no_key_by_moving_an_endpoint(site, listener):
    edda = site.browser("edda", PASSWORD)
    assert "Key from OPENAI_API_KEY" in edda.open("/agents/").text
    endpoint = openai_endpoint(edda)
    refused = edda.fill(f"{endpoint}/address/", base_url=listener.base_url("openai"), key="")
    assert refused.status_code == 422 and "Type the key of the new one" in refused.text
    edda.fill(f"{endpoint}/address/", base_url=listener.base_url("openai"), key="sk-my-own")
    edda.fill(f"{endpoint}/key/", key="")
    try_every_agent(edda)
    assert listener.count > 0
    assert KEY not in str([request.headers for request in listener.requests])


def test_the_command_line_gives_no_key_to_a_moved_endpoint(organization, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made = agent_from_text("openai:gpt@https://gateway.test/v1", organization).endpoint
    assert made is not None and made.has_key
    Endpoint.objects.filter(pk=made.pk).update(base_url="https://evil.test/v1", sealed_key=b"")
    with pytest.raises(LaunchError, match="endpoint of this name"):
        agent_from_text("openai:other@https://gateway.test/v1", organization)
    made.refresh_from_db()
    assert not made.has_key


def test_the_operator_can_allow_an_organization_the_environment_keys(organization, monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made = organization_create(name="Second", owner=organization.memberships.get().user)

    def key():
        return endpoint_key(made.endpoints.select_related("organization").get(provider="openai"))

    assert key() == ""
    call_command("environment_keys", "second", "--allow")
    assert key() == KEY
    call_command("environment_keys")
    assert capsys.readouterr().out.endswith("market-lab\nsecond\n")
    call_command("environment_keys", "second", "--refuse")
    assert key() == ""
    assert AuditEntry.objects.filter(organization=made, action__startswith="environment-keys").count() == 2
    with pytest.raises(CommandError, match="no organization with the slug third"):
        call_command("environment_keys", "third", "--allow")


def test_a_person_can_own_at_most_ten_organizations(page):
    codes = [page.post("/organization/new/", {"name": f"Lab {number}"}).status_code for number in range(10)]
    assert codes == [302] * 9 + [422]
    assert Organization.objects.count() == 10
    assert "Delete one before making another" in page.post("/organization/new/", {"name": "More"}).text
