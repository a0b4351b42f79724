"""Deleted experiments and agents are hidden for a day, can be restored unchanged, and are then removed."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from accounts.deletions import KEPT_FOR, kinds
from accounts.models import AuditEntry, Endpoint
from accounts.services.deletions import deleted_remove, row_remove
from accounts.services.endpoints import endpoint_delete
from runs.engine import lease
from runs.engine.advance import advance
from runs.launching.plan import LaunchError
from runs.models import Agent, Experiment, Run, RunState
from runs.services.agent_errors import TAKEN
from runs.services.agents import agent_create
from runs.services.control import runs_control
from runs.services.deletions import PAUSED, USED, agent_delete, agent_undelete, experiment_delete, experiment_undelete
from runs.services.designs import prompt_delete
from tests.prompts import prompt_of


def age(row, by=KEPT_FOR):
    type(row).with_deleted.filter(pk=row.pk).update(deleted_at=timezone.now() - by - timedelta(seconds=1))


def deeds():
    return list(AuditEntry.objects.order_by("id").values_list("action", flat=True))[-2:]


@pytest.fixture
def fresh(organization):
    """An agent without runs."""
    endpoint = Endpoint.objects.get(organization=organization, name="OpenAI")
    return lambda name="Fresh": agent_create(organization=organization, name=name, endpoint=endpoint, model="m-1")


def test_a_deleted_experiment_and_its_runs_are_restored_unchanged(launch, alice):
    experiment = launch("random", seeds=(0, 1, 2))
    first, second, third = experiment.runs.order_by("id")
    advance(first.pk)
    Run.objects.filter(pk=second.pk).update(state="running", stop_request="cancel", reason="Cancelled by alice.")
    before = Run.objects.get(pk=first.pk)
    assert experiment_delete(experiment=experiment, actor=alice)
    assert not experiment_delete(experiment=experiment, actor=alice)
    assert not Experiment.objects.exists() and not Run.objects.exists() and not experiment.runs.exists()
    assert not lease.take_next() and runs_control(runs=experiment.runs.all(), action="resume", user=alice) == 0
    assert experiment_undelete(experiment=experiment, actor=alice)
    assert not experiment_undelete(experiment=experiment, actor=alice)
    assert deeds() == ["experiment.deleted", "experiment.undeleted"]
    states = [RunState.FINISHED, RunState.CANCELLED, RunState.PAUSED]
    runs = list(experiment.runs.order_by("id"))
    assert [run.state for run in runs] == states and runs[0].score == before.score and runs[2].reason == PAUSED
    assert [run.lease_until for run in runs] == [None] * 3
    assert runs_control(runs=experiment.runs.all(), action="resume", user=alice) == 1
    advance(third.pk)
    assert Run.objects.get(pk=third.pk).state == RunState.FINISHED


def test_an_undo_wins_until_the_removal_locks_the_row(launch):
    experiment = launch("random")
    experiment_delete(experiment=experiment)
    looked_at = Experiment.with_deleted.get()
    experiment_undelete(experiment=experiment)
    assert not row_remove(kind=kinds["experiment"], row=looked_at, deleted_before=timezone.now())
    assert Experiment.objects.exists() and Run.objects.exists()


def test_rows_used_by_deleted_runs_count_as_in_use(launch, organization, alice):
    prompt = prompt_of(organization, alice)
    experiment = launch("random")
    Run.objects.update(prompts=prompt)
    experiment_delete(experiment=experiment)
    with pytest.raises(ValidationError, match="Runs have used"):
        prompt_delete(prompt=prompt, user=alice)


def test_an_agent_without_runs_is_deleted_and_restored(fresh, alice, organization):
    agent = fresh()
    assert agent_delete(agent=agent, actor=alice) and not agent_delete(agent=agent, actor=alice)
    assert not organization.agents.filter(pk=agent.pk).exists()
    with pytest.raises(ValidationError, match="was deleted; delete the agent for good"):
        Agent.objects.filter(endpoint=agent.endpoint).delete()
        endpoint_delete(endpoint=agent.endpoint)
    assert agent_undelete(agent=agent, actor=alice) and not agent_undelete(agent=agent, actor=alice)
    assert deeds() == ["agent.deleted", "agent.undeleted"]
    agent_delete(agent=agent)
    age(agent)
    deleted_remove()
    assert not Agent.with_deleted.filter(pk=agent.pk).exists()


def test_the_name_of_a_deleted_agent_is_free_and_a_conflicting_undo_is_refused(fresh):
    agent = fresh()
    agent_delete(agent=agent)
    other = fresh()
    assert other.slug == agent.slug == "fresh"
    with pytest.raises(ValidationError) as refused:
        agent_undelete(agent=agent)
    assert refused.value.messages == [f"{TAKEN} Rename that agent, then undo the deletion of Fresh."]
    Agent.objects.filter(pk=other.pk).update(name="Other")
    assert agent_undelete(agent=agent) and agent.slug == "fresh-2"


def test_agents_with_runs_and_baselines_cannot_be_deleted(launch, agent, organization):
    experiment = launch("gpt-5")
    for _ in range(2):
        with pytest.raises(ValidationError) as refused:
            agent_delete(agent=agent("gpt-5"))
        assert refused.value.messages == [USED]
        experiment_delete(experiment=experiment)  # a run that can come back counts too
    with pytest.raises(ValidationError, match="Only language models"):
        agent_delete(agent=agent("random"))


def test_a_launch_with_a_deleted_agent_is_refused(fresh, organization):
    from runs.launching.plan import LaunchPlan
    from runs.services.experiments import experiment_launch

    agent = fresh()
    plan = LaunchPlan(environments=("pricing",), difficulties=("BASIC",), seeds=(0,), agents=(agent,))
    agent_delete(agent=agent)
    with pytest.raises(LaunchError) as refused:
        experiment_launch(organization=organization, user=None, name="", plan=plan)
    assert "was deleted a moment ago" in refused.value.errors["agents"]
    assert not Experiment.objects.exists()
