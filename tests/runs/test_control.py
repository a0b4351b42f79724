"""Pause, resume, cancel and retry take effect within a model call."""

import pytest

from runs.engine import lease
from runs.engine.advance import advance
from runs.engine.exceptions import Interrupted, LeaseLost
from runs.engine.period import check_stop_request
from runs.models import Run, RunState
from runs.services import experiment_delete
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider


def test_a_queued_run_pauses_at_once_and_plays_after_resuming(run, control):
    assert control("pause") == 1
    assert (run.state, run.reason) == (RunState.PAUSED, "Paused by alice.")
    assert not advance(run.pk)
    assert control("resume") == 1
    advance(run.pk)
    run.refresh_from_db()
    assert run.state == RunState.FINISHED


@pytest.mark.parametrize(("action", "state"), [("pause", RunState.PAUSED), ("cancel", RunState.CANCELLED)])
def test_a_leased_run_gets_a_stop_request_that_its_worker_applies(run, control, action, state):
    fence = lease.take(run.pk)
    assert control(action) == 1
    assert run.state == RunState.RUNNING
    with pytest.raises(Interrupted):
        check_stop_request(run.pk, fence)
    lease.release(run.pk, fence, RunState.QUEUED)
    run.refresh_from_db()
    assert (run.state, run.stop_request) == (state, "")
    assert run.reason in ("Paused by alice.", "Cancelled by alice.")


def test_a_stop_request_at_the_start_of_a_slice_costs_no_call(launch, model_agent):
    with StubProvider(ScriptedPlayer()) as stub:
        run = launch(model_agent(stub).slug).runs.get()
        Run.objects.update(state=RunState.RUNNING, stop_request="cancel", reason="Cancelled by alice.")
        advance(run.pk)
    run.refresh_from_db()
    assert (stub.count, run.state) == (0, RunState.CANCELLED)


def test_a_deleted_experiment_stops_its_worker(run):
    fence = lease.take(run.pk)
    experiment_delete(experiment=run.experiment)
    with pytest.raises(LeaseLost):
        check_stop_request(run.pk, fence)
