"""A watch of a model at a local provider, and what the sweep does for it."""

import json
from datetime import timedelta

import pytest

from tests.cast import model_of
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubAnswer, StubProvider, content_of


class Changing(ScriptedPlayer):
    """A model whose name, tier and upstream can be changed. Each is a text, or a function of the number of the call."""

    def __init__(self):
        super().__init__()
        self.named = {"model": "gpt-a-2026-01-01", "service_tier": "default", "provider": "North"}
        self.calls = 0

    def __call__(self, wire, body, headers):
        whole = json.loads(content_of(wire, body, super().__call__(wire, body, headers)))
        self.calls += 1
        named = {name: of(self.calls) if callable(of) else of for name, of in self.named.items()}
        return StubAnswer(raw=json.dumps(whole | named).encode())


@pytest.fixture
def maker():
    """The model, and where it answers."""
    player = Changing()
    with StubProvider(player) as stub:
        player.base_url = stub.base_url("openai")
        yield player


@pytest.fixture
def agent(organization, maker):
    return model_of(organization, "Small", "gpt-a", maker.base_url, input_price=1, output_price=2)


@pytest.fixture
def watched(organization, alice, agent):
    """`watched()` is a watch of the model on six instances; keyword arguments are those of watch_create or of LaunchPlan."""

    def watched(*, interval="month", budget_nano=None, **values):
        from runs.launching.plan import LaunchPlan
        from workspace.drift.services import watch_create, watch_prepare

        small = {"environments": ("pricing",), "difficulties": ("BASIC",), "seeds": tuple(range(6)), "periods": 1}
        plan = LaunchPlan(**small | {"agents": (agent,)} | values)
        chosen = {"organization": organization, "user": alice, "plan": plan}
        chosen |= {"interval": interval, "budget_nano": budget_nano}
        watch_prepare(**chosen)
        return watch_create(**chosen)

    return watched


def pass_interval(watch):
    """Let the time pass until the next round is due."""
    type(watch).objects.filter(pk=watch.pk).update(due_at=watch.created_at - timedelta(minutes=1))


def replay(watch, times=1):
    """Launch the due rounds as the sweep does, play their runs to the end, and let the sweep end them."""
    from runs.models import Run
    from tests.cast import play_to_the_end
    from workspace.drift.rounds import rounds_end, rounds_launch

    for _ in range(times):
        pass_interval(watch)
        rounds_launch()
        for run_id in Run.objects.filter(state="queued").values_list("id", flat=True):
            play_to_the_end(run_id)
        rounds_end()


def replay_scored(watch, *levels):
    """The same for rounds whose instances all have a score, one for each round, without playing them."""
    from workspace.drift.rounds import rounds_end, rounds_launch

    pass_interval(watch)
    rounds_launch()
    for of_round, level in zip(watch.rounds.filter(state="playing"), levels, strict=True):
        of_round.experiment.runs.update(state="finished", score=level)
    rounds_end()
