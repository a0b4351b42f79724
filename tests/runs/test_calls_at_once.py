"""The limit of concurrent calls of an agent, measured at the server."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from django.db import connection

from infrastructure.limiter import Held
from runs.engine.advance import advance
from runs.engine.slots import take_slot
from runs.models import Run
from runs.services import agent_create, agent_update
from tests.runs.limiter_server import impatient
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider
from tests.waiting import wait_until

CALL_SECONDS = 0.03


class Gauge:
    """A player that counts how many of its calls are in flight."""

    def __init__(self):
        self._player, self._lock = ScriptedPlayer(), threading.Lock()
        self._inside = self.most = 0

    def __call__(self, *request):
        with self._lock:
            self._inside += 1
            self.most = max(self.most, self._inside)
        time.sleep(CALL_SECONDS)
        with self._lock:
            self._inside -= 1
        return self._player(*request)


def play_together(runs):
    def play(run):
        try:
            while not Run.objects.get(pk=run.pk).is_finished:
                Run.objects.filter(pk=run.pk).update(wake_at=None)
                advance(run.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(runs)) as pool:
        list(pool.map(play, runs))


@pytest.mark.sampled
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("calls_at_once", "most"), [(None, 2), (1, 1)])
def test_two_runs_respect_the_call_limit_of_their_agent(launch, model_agent, server, settings, calls_at_once, most):
    settings.BROKER_URL = server.url
    gauge = Gauge()
    with StubProvider(gauge) as stub:
        experiment = launch(model_agent(stub, calls_at_once=calls_at_once).slug, seeds=(0, 1))
        play_together(list(experiment.runs.all()))
        assert stub.count == 16
    assert gauge.most == most


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_the_questions_of_a_survey_respect_the_call_limit_of_their_agent(launch, model_agent, server, settings):
    settings.BROKER_URL = server.url
    gauge = Gauge()
    small = {"repetitions": 2, "one_month": 0, "six_months": 0, "one_year": 1, "five_years": 0}
    game = {"environments": ("patience_vs_impatience",), "difficulties": ("CUSTOM",), "settings": small}
    with StubProvider(gauge) as stub:
        agent = model_agent(stub, calls_at_once=2)
        play_together(list(launch(agent.slug, periods=None, **game).runs.all()))
        assert stub.count == 40
    assert gauge.most == 2


@pytest.fixture
def two_agents(model_agent, server, monkeypatch):
    """An agent that makes one call at once, and another without a limit behind the same key. No call waits long."""
    monkeypatch.setattr("infrastructure.limiter._limiter", lambda url: impatient(server))
    with StubProvider(ScriptedPlayer()) as stub:
        limited = model_agent(stub, calls_at_once=1)
    free = agent_create(organization=limited.organization, name="free", endpoint=limited.endpoint, model="house-2")
    return limited, free


def test_a_call_waiting_for_its_agent_holds_no_slot_of_the_key(two_agents, server):
    limited, free = two_agents
    endpoint = limited.endpoint
    endpoint.calls_at_once = 2
    slot = take_slot(endpoint, limited, 0)
    with pytest.raises(Held, match="this agent allows 1 call at once"):
        take_slot(endpoint, limited, 0)
    with take_slot(endpoint, free, 0), pytest.raises(Held, match="this key allows 2 calls at once"):
        take_slot(endpoint, free, 0)
    slot.done("ok")

    def is_taken():
        # An impatient call may still read the refusal of the call before it.
        with suppress(Held):
            take_slot(endpoint, limited, 0).done("ok")
            return True
        return False

    wait_until(is_taken, lambda: "The place of the agent is still taken.")


def test_a_call_waiting_for_the_key_returns_the_slot_of_its_agent(two_agents):
    limited, free = two_agents
    endpoint = limited.endpoint
    endpoint.calls_at_once = 1
    with take_slot(endpoint, free, 0), pytest.raises(Held, match="this key allows 1 call at once"):
        take_slot(endpoint, limited, 0)
    take_slot(endpoint, limited, 0).done("ok")


def test_a_held_key_does_not_hold_its_agents(two_agents):
    limited, _ = two_agents
    take_slot(limited.endpoint, limited, 0).done("limited", retry_after=0.05)
    agent_update(agent=limited, calls_at_once=2)
    wait_until(lambda: _is_free(limited), lambda: "The agent stays held.")
    with take_slot(limited.endpoint, limited, 0), take_slot(limited.endpoint, limited, 0), pytest.raises(Held):
        take_slot(limited.endpoint, limited, 0)


def _is_free(agent):
    try:
        take_slot(agent.endpoint, agent, 0).done("ok")
    except Held:
        return False
    return True
