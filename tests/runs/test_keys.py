"""A refused or paused key pauses all runs that use it."""

import pytest

from runs.engine.advance import advance
from runs.models import Exchange, PauseCause, Run, RunState
from runs.services import agent_create, endpoint_control
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubAnswer, StubProvider


@pytest.fixture
def two_models(launch, model_agent):
    """Two agents behind one key with two runs each; the first run is played against one answer."""

    def play(answer):
        with StubProvider(lambda *_: answer) as stub:
            agent = model_agent(stub)
            sibling = agent_create(
                organization=agent.organization, name="house-2", endpoint=agent.endpoint, model="house-2"
            )
            runs = launch(agent.slug, sibling.slug, seeds=(0, 1)).runs.order_by("agent__model", "id")
            advance(runs.first().pk)
        assert stub.count == 1
        return runs

    return play


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("status", "error", "cause"), [(401, "bad key", "key"), (402, "no credit", "credit"), (403, "not for you", "key")]
)
def test_a_refused_key_pauses_only_its_own_runs(two_models, launch, model_agent, status, error, cause):
    with StubProvider(ScriptedPlayer()) as healthy:
        other = launch(model_agent(healthy, "anthropic").slug).runs.get()
    for run in two_models(StubAnswer(status=status, error=error)):
        assert (run.state, run.pause_cause) == (RunState.PAUSED, cause)
        assert error in run.reason
    other.refresh_from_db()
    assert other.state == RunState.QUEUED


def test_a_leased_run_of_a_refused_key_stops_before_its_next_call(launch, model_agent):
    with StubProvider(lambda *_: StubAnswer(status=401, error="bad key")) as stub:
        first, second = launch(model_agent(stub).slug, seeds=(0, 1)).runs.order_by("id")
        Run.objects.filter(pk=second.pk).update(state=RunState.RUNNING)
        advance(first.pk)
        advance(second.pk)
    second.refresh_from_db()
    assert (second.state, second.pause_cause) == (RunState.PAUSED, PauseCause.KEY)
    assert stub.count == 1


@pytest.mark.parametrize(
    ("answer", "paused"),
    [
        (StubAnswer(status=404), 2),
        (StubAnswer(status=403, error="The model house-1 requires that its terms are accepted."), 2),
        (StubAnswer(status=403, error="This model is not available in your region."), 2),
        (StubAnswer(status=403, error="Input data may contain inappropriate content."), 1),
        (StubAnswer(status=400), 1),
    ],
)
def test_an_unknown_model_pauses_runs_of_that_model_and_a_refused_request_its_run(two_models, answer, paused):
    states = [run.state for run in two_models(answer)]
    assert states == [RunState.PAUSED] * paused + [RunState.QUEUED] * (4 - paused)


def test_a_rate_limit_holds_all_runs_of_the_key_until_retry_after(launch, model_agent):
    limited = StubAnswer(status=429, error="slow down", headers={"Retry-After": "120"})
    with StubProvider(lambda *_: limited) as stub:
        runs = launch(model_agent(stub).slug, seeds=(0, 1)).runs.order_by("id")
        for run in runs:
            advance(run.pk)
    assert stub.count == Exchange.objects.count() == 1
    assert all(run.state == RunState.WAITING and run.reason and run.wake_at for run in runs.all())
    first = runs.all()[0]
    assert (first.wake_at - first.progressed_at).total_seconds() > 115


def test_a_key_controls_its_runs_and_those_whose_rival_uses_it(launch, model_agent, alice):
    with StubProvider(ScriptedPlayer()) as stub:
        agent = model_agent(stub)
    experiment, baseline = launch(agent.slug, seeds=(0, 1)), launch("random")
    for action in ("pause", "resume", "cancel"):
        assert endpoint_control(endpoint=agent.endpoint, action=action, user=alice) == 2
    experiment.runs.update(state=RunState.ERRORED)
    assert endpoint_control(endpoint=agent.endpoint, action="retry", user=alice) == 2
    assert baseline.runs.get().state == RunState.QUEUED
    experiment.delete()
    baseline.runs.update(rival=agent)
    assert endpoint_control(endpoint=agent.endpoint, action="pause", user=alice) == 1
