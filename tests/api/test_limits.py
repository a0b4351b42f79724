"""Rate limits: requests of a token, and token guesses of an address."""

import pytest
from django.test import Client

from tests.accounts.conftest import broker_away  # noqa: F401

pytestmark = pytest.mark.usefixtures("noon")


def guess(address="192.0.2.1"):
    headers = {"Authorization": "Bearer ee_" + "0" * 40}
    return Client(REMOTE_ADDR=address).get("/api/v1/me", headers=headers)


def test_a_rate_limited_token_gets_the_time_to_wait(owning, program, settings):
    settings.API_REQUESTS_A_MINUTE = 5
    assert [owning.get("/me").status_code for _ in range(5)] == [200] * 5
    refused = owning.get("/me")
    assert refused.status_code == 429 and refused["Retry-After"] == "45"
    assert refused.json()["error"]["message"] == "A token makes at most 5 requests a minute. Wait 45 s."
    assert program().get("/me").status_code == 200


@pytest.mark.long
def test_token_guessing_blocks_an_address_but_not_valid_tokens(owning):
    assert {guess().status_code for _ in range(30)} == {401}
    refused = guess()
    assert refused.status_code == 429 and int(refused["Retry-After"]) <= 300
    assert guess("192.0.2.2").status_code == 401
    owning.client.defaults["REMOTE_ADDR"] = "192.0.2.1"
    assert owning.get("/me").status_code == 200


@pytest.mark.long
def test_limits_hold_while_the_broker_is_away(owning, settings, broker_away):  # noqa: F811
    settings.API_REQUESTS_A_MINUTE = 5
    assert [owning.get("/me").status_code for _ in range(6)] == [200] * 5 + [429]
    assert [guess().status_code for _ in range(31)] == [401] * 30 + [429]


@pytest.mark.long
def test_a_token_may_run_four_downloads_at_once(owning, program, launch):
    path = f"/runs/{launch('random').runs.get().pk}/export"
    running = [owning.get(path) for _ in range(4)]
    refused = owning.get(path)
    assert refused.status_code == 429 and refused["Retry-After"] == "30"
    assert refused.json()["error"]["code"] == "too_many_requests"
    assert program().get(path).status_code == 200
    assert running[0].getvalue()
    assert owning.get(path).status_code == 200
