"""Every action changes the state of a run only as TRANSITIONS allows."""

from contextlib import nullcontext

import pytest

from infrastructure.transactions import write_transaction
from runs.engine import lease
from runs.engine.exceptions import LeaseLost
from runs.models import Run, RunState
from runs.models.runs import ENDED, TERMINAL, TRANSITIONS, StopRequest

ACTIONS = ("pause", "cancel", "resume", "retry")
BY_RELEASE = ("requeue", "wait", "stall", "fail", "pause", "cancel")


def put(run, **values):
    Run.objects.filter(pk=run.pk).update(**values)
    run.refresh_from_db()


@pytest.mark.parametrize("action", ACTIONS)
def test_people_can_do_exactly_what_transitions_allow(run, control, action):
    for state in RunState:
        asked = StopRequest.PAUSE if action == "resume" and state == RunState.RUNNING else ""
        put(run, state=state, stop_request=asked)
        allowed = run.may(action)
        assert allowed == (state in TRANSITIONS[action].before or bool(run.stop_request)), state
        assert (action in run.actions) == allowed == control(action), state
        assert run.state == (TRANSITIONS[action].after if allowed and state != RunState.RUNNING else state)


def test_a_worker_takes_a_run_only_if_transitions_allow_it(run):
    for state in RunState:
        put(run, state=state, lease_until=None)
        allowed = run.may("take")
        assert (lease.take(run.pk) is not None) == allowed, state
        run.refresh_from_db()
        assert run.state == (RunState.RUNNING if allowed else state)
        lease.held.clear()


@pytest.mark.sampled
@pytest.mark.parametrize("action", [*BY_RELEASE, "finish"])
def test_a_worker_changes_only_running_runs(run, action):
    """The end of an open run is written by its last action."""
    written = {RunState.RUNNING, *(TRANSITIONS[action].before if action == "finish" else ())}
    for state in RunState:
        put(run, state=RunState.QUEUED, lease_until=None)
        fence = lease.take(run.pk)
        put(run, state=state)
        assert run.may(action) or state != RunState.RUNNING
        lost = nullcontext() if state in written else pytest.raises(LeaseLost)
        after = TRANSITIONS[action].after
        with lost, write_transaction():
            lease.finish(run.pk, fence, {}) if action == "finish" else lease.release(run.pk, fence, after)
        run.refresh_from_db()
        assert run.state == (after if state in written else state), state
        lease.held.clear()


def test_a_run_cannot_be_released_as_running(run):
    with pytest.raises(ValueError, match="released as running"):
        lease.release(run.pk, lease.take(run.pk), RunState.RUNNING)


def test_resuming_withdraws_a_pause_request_but_not_a_cancel_request(run, control):
    lease.take(run.pk)
    assert [control("pause"), control("pause")] == [1, 0]
    assert run.actions == ["resume", "cancel"]
    assert control("resume") == 1
    assert (run.state, run.stop_request, run.reason) == (RunState.RUNNING, "", "")
    assert [control("pause"), control("cancel"), control("resume")] == [1, 1, 0]
    assert (run.stop_request, run.actions) == (StopRequest.CANCEL, ["cancel"])


def test_finished_and_cancelled_runs_never_change():
    before = {state for change in TRANSITIONS.values() for state in change.before}
    assert not before & set(TERMINAL)
    # An open run is open from the beginning.
    assert {change.after for change in TRANSITIONS.values()} == set(RunState) - {RunState.OPEN}
    assert set(ENDED) >= set(TERMINAL)
