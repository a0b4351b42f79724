"""The statements of docs/instances.md are true: commands and requests run as printed, addresses exist."""

import json
import re
import shlex
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from environments.registry import ENVIRONMENTS, GENERATION
from tests.data_folders import ROOT

TEXT = (ROOT / "docs" / "instances.md").read_text()
COMMANDS = [
    shlex.split(one.replace("\\\n", " "))
    for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    for one in re.findall(r"(?:[^\n]*\\\n)*[^\n]+", block)
]


@pytest.fixture
def ask(owner):
    """Send the request of a curl command; returns its JSON."""
    from api.services import personal_token_create

    expires = timezone.now() + timedelta(days=1)
    _, token = personal_token_create(actor=owner, name="docs", scopes=["read", "launch"], expires_at=expires)

    def send(words):
        path, headers = words[1].removeprefix("$SITE"), {"Authorization": f"Bearer {token}"}
        assert "Authorization: Bearer $TOKEN" in words
        if "-d" in words:
            body = json.loads(words[words.index("-d") + 1])
            answer = Client().post(path, body, content_type="application/json", headers=headers)
        else:
            answer = Client().get(path, headers=headers)
        assert answer.status_code in (200, 201), answer.content
        return answer.json()

    return send


@pytest.mark.long
def test_commands_and_requests_in_the_guide_work_in_order(ask, organization, capsys):
    assert [words[:2] for words in COMMANDS if words[0] != "curl"] == [
        ["bin/econevals", name] for name in ("instance", "instance", "launch", "leaderboard")
    ]
    printed = []
    for words in COMMANDS:
        if words[0] == "curl":
            printed.append(ask(words))
        else:
            call_command(*words[1:])
            out = capsys.readouterr().out
            printed.append(json.loads(out) if "--json" in words else out)
    pricing, scheduling, design, launched, leaderboard, cells = printed
    assert (pricing["difficulty"], len(scheduling["parameters"]["workers"])) == ("HARD", 6)
    assert design["difficulty"] == "CUSTOM+SIX-PRODUCTS"
    assert "6 runs" in launched and organization.experiments.get().runs.count() == 6
    assert "own design, not the paper's" in leaderboard and cells["rows"][0]["cells"][0]["is_own_design"]


@pytest.mark.long
def test_addresses_in_the_guide_of_instances_exist(page):
    addresses = re.findall(r"`(/instances/[^`]*)`", TEXT)
    assert len(addresses) == 3
    for address in addresses:
        assert page.get(address).status_code == 200, address


def test_settings_and_limits_in_the_guide_match_the_generators():
    for generation in GENERATION.values():
        for setting in generation.settings:
            assert setting.usual is None or f"({setting.usual:g})" in TEXT or f"usually {setting.usual:g})" in TEXT
    limits = {(name, most) for name, generation in GENERATION.items() for most in generation.measured_up_to.values()}
    words = TEXT.replace("\n", " ")
    for name, most in limits:
        title = ENVIRONMENTS[name].title.split()[0].lower()
        assert re.search(rf"{title} with more than {most} ", words), (name, most)
