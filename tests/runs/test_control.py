"""Pause, resume, cancel and retry take effect within one model call."""

from __future__ import annotations

import pytest

from runs.engine import lease
from runs.engine.advance import advance
from runs.engine.exceptions import Interrupted, LeaseLost
from runs.engine.period import check_stop_request
from runs.models import Run, RunState
from runs.services import (
    experiment_cancel,
    experiment_pause,
    experiment_resume,
    experiment_retry,
    run_cancel,
    run_pause,
    run_resume,
)
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider

pytestmark = pytest.mark.django_db


def test_a_queued_run_pauses_at_once_and_says_by_whom(launch, alice):
    experiment = launch("random")
    assert experiment_pause(experiment=experiment, user=alice) == 1
    run = experiment.runs.get()
    assert (run.state, run.reason) == (RunState.PAUSED, "Paused by alice.")
    assert not advance(run.pk)


def test_a_resumed_run_plays_on(launch, alice):
    experiment = launch("random")
    experiment_pause(experiment=experiment, user=alice)
    assert experiment_resume(experiment=experiment, user=alice) == 1
    advance(experiment.runs.get().pk)
    assert experiment.runs.get().state == RunState.FINISHED


@pytest.mark.parametrize(("stop", "state"), [(run_pause, RunState.PAUSED), (run_cancel, RunState.CANCELLED)])
def test_a_leased_run_gets_a_stop_request_that_its_worker_applies(launch, alice, stop, state):
    run = launch("random").runs.get()
    fence = lease.take(run.pk)
    assert stop(run=run, user=alice)
    run.refresh_from_db()
    assert run.state == RunState.RUNNING
    with pytest.raises(Interrupted):
        check_stop_request(run.pk, fence)
    lease.release(run.pk, fence, RunState.QUEUED)
    run.refresh_from_db()
    assert run.state == state


def test_a_stop_request_at_the_start_of_a_slice_costs_no_call(launch, model_agent, alice):
    with StubProvider(ScriptedPlayer()) as stub:
        experiment = launch(model_agent(stub).slug)
        Run.objects.update(
            state=RunState.RUNNING, lease_until=None, stop_request="cancel", reason="Cancelled by alice."
        )
        advance(experiment.runs.get().pk)
    assert stub.count == 0
    assert experiment.runs.get().state == RunState.CANCELLED


def test_resuming_withdraws_a_pause_request(launch, alice):
    run = launch("random").runs.get()
    lease.take(run.pk)
    run_pause(run=run, user=alice)
    assert run_resume(run=run, user=alice)
    run.refresh_from_db()
    assert (run.state, run.stop_request, run.reason) == (RunState.RUNNING, "", "")


def test_retry_requeues_only_stalled_and_errored_runs(launch, alice):
    experiment = launch("random", seeds=(0, 1, 2))
    first, second, third = experiment.runs.order_by("id")
    Run.objects.filter(pk=first.pk).update(state=RunState.STALLED, reason="No action.")
    Run.objects.filter(pk=second.pk).update(state=RunState.ERRORED, reason="Fault.")
    Run.objects.filter(pk=third.pk).update(state=RunState.CANCELLED)
    assert experiment_retry(experiment=experiment, user=alice) == 2
    states = list(experiment.runs.order_by("id").values_list("state", flat=True))
    assert states == [RunState.QUEUED, RunState.QUEUED, RunState.CANCELLED]


def test_cancelling_twice_changes_nothing(launch, alice):
    experiment = launch("random")
    assert experiment_cancel(experiment=experiment, user=alice) == 1
    assert experiment_cancel(experiment=experiment, user=alice) == 0


def test_a_deleted_experiment_stops_its_worker(launch):
    from runs.services import experiment_delete

    experiment = launch("random")
    run = experiment.runs.get()
    fence = lease.take(run.pk)
    experiment_delete(experiment=experiment)
    with pytest.raises(LeaseLost):
        lease.update(run.pk, fence, periods_played=1)
