"""A refused or paused key pauses all runs that use it."""

from __future__ import annotations

import pytest

from runs.engine.advance import advance
from runs.models import Exchange, PauseCause, Run, RunState
from runs.services import agent_create, endpoint_cancel, endpoint_pause, endpoint_resume, endpoint_retry
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubAnswer, StubProvider

pytestmark = pytest.mark.django_db


def answering(status: int, error: str):
    return StubProvider(lambda *_: StubAnswer(status=status, error=error))


def sibling(agent, model: str):
    """Another agent behind the same key."""
    return agent_create(organization=agent.organization, name=model, endpoint=agent.endpoint, model=model)


@pytest.mark.parametrize(
    ("status", "error", "cause"),
    [(401, "bad key", "key"), (402, "no credit", "credit"), (403, "not for you", "key")],
)
def test_a_refused_key_pauses_all_its_runs_and_no_others(launch, model_agent, status, error, cause):
    with answering(status, error) as stub, StubProvider(ScriptedPlayer()) as healthy:
        agent = model_agent(stub)
        experiment = launch(agent.slug, sibling(agent, "house-2").slug, seeds=(0, 1))
        other = launch(model_agent(healthy, "anthropic").slug).runs.get()
        advance(experiment.runs.first().pk)
    assert stub.count == 1
    for run in experiment.runs.all():
        assert (run.state, run.pause_cause) == (RunState.PAUSED, cause)
        assert error in run.reason
    other.refresh_from_db()
    assert other.state == RunState.QUEUED


def test_a_leased_run_of_a_refused_key_stops_before_its_next_call(launch, model_agent):
    with answering(401, "bad key") as stub:
        experiment = launch(model_agent(stub).slug, seeds=(0, 1))
        first, second = experiment.runs.order_by("id")
        Run.objects.filter(pk=second.pk).update(state=RunState.RUNNING)
        advance(first.pk)
        advance(second.pk)
    second.refresh_from_db()
    assert (second.state, second.pause_cause) == (RunState.PAUSED, PauseCause.KEY)
    assert stub.count == 1


def test_an_unknown_model_pauses_the_runs_of_that_model_only(launch, model_agent):
    with answering(404, "no such model") as stub:
        agent = model_agent(stub)
        experiment = launch(agent.slug, sibling(agent, "house-2").slug, seeds=(0, 1))
        advance(experiment.runs.filter(agent=agent).first().pk)
    states = set(experiment.runs.values_list("agent__model", "state"))
    assert states == {("house-1", RunState.PAUSED), ("house-2", RunState.QUEUED)}


def test_a_refused_request_pauses_only_the_run_that_made_it(launch, model_agent):
    with answering(400, "messages: too odd") as stub:
        experiment = launch(model_agent(stub).slug, seeds=(0, 1))
        advance(experiment.runs.first().pk)
    assert sorted(experiment.runs.values_list("state", flat=True)) == [RunState.PAUSED, RunState.QUEUED]


def test_a_rate_limit_holds_the_other_runs_of_the_key_as_well(launch, model_agent):
    script = lambda *_: StubAnswer(status=429, error="slow down", headers={"Retry-After": "120"})  # noqa: E731
    with StubProvider(script) as stub:
        experiment = launch(model_agent(stub).slug, seeds=(0, 1))
        for run in experiment.runs.all():
            advance(run.pk)
    assert stub.count == 1
    assert Exchange.objects.count() == 1
    assert set(experiment.runs.values_list("state", flat=True)) == {RunState.WAITING}
    assert all(run.reason and run.wake_at for run in experiment.runs.all())


def test_the_runs_of_a_key_are_controlled_together(launch, model_agent, alice):
    with StubProvider(ScriptedPlayer()) as stub:
        agent = model_agent(stub)
        experiment = launch(agent.slug, seeds=(0, 1))
        baseline = launch("random").runs.get()
        endpoint = agent.endpoint
        assert endpoint_pause(endpoint=endpoint, user=alice) == 2
        assert endpoint_resume(endpoint=endpoint, user=alice) == 2
        Run.objects.filter(experiment=experiment).update(state=RunState.ERRORED)
        assert endpoint_retry(endpoint=endpoint, user=alice) == 2
        assert endpoint_cancel(endpoint=endpoint, user=alice) == 2
    assert set(experiment.runs.values_list("state", flat=True)) == {RunState.CANCELLED}
    baseline.refresh_from_db()
    assert baseline.state == RunState.QUEUED


def test_a_rival_through_the_key_counts_as_well(launch, model_agent, organization, alice):
    with StubProvider(ScriptedPlayer()) as stub:
        agent = model_agent(stub)
        run = launch("collusion-nash", environments=("collusiveness_vs_competitiveness",), difficulties=("STANDARD",))
        Run.objects.filter(experiment=run).update(rival=agent)
        assert endpoint_pause(endpoint=agent.endpoint, user=alice) == run.runs.count()
