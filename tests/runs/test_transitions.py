"""Every action changes the state of a run only as TRANSITIONS allows."""

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


@pytest.mark.parametrize("state", RunState)
@pytest.mark.parametrize("action", ACTIONS)
def test_a_person_does_what_transitions_allow_and_nothing_else(run, control, action, state):
    put(run, state=state, stop_request=StopRequest.PAUSE if action == "resume" and state == RunState.RUNNING else "")
    allowed = run.may(action)
    assert allowed == (state in TRANSITIONS[action].before or bool(run.stop_request))
    assert (action in run.actions) == allowed
    assert control(action) == allowed
    assert run.state == (TRANSITIONS[action].after if allowed and state != RunState.RUNNING else state)


@pytest.mark.parametrize("state", RunState)
def test_a_worker_takes_a_run_only_if_transitions_allow_it(run, state):
    put(run, state=state)
    allowed = run.may("take")
    assert (lease.take(run.pk) is not None) == allowed
    run.refresh_from_db()
    assert run.state == (RunState.RUNNING if allowed else state)


@pytest.mark.parametrize("action", [*BY_RELEASE, "finish"])
@pytest.mark.parametrize("state", RunState)
def test_a_worker_writes_a_state_only_to_a_running_run(run, action, state):
    fence = lease.take(run.pk)
    put(run, state=state)
    after = TRANSITIONS[action].after

    def act():
        with write_transaction():
            lease.finish(run.pk, fence, {}) if action == "finish" else lease.release(run.pk, fence, after)

    if state == RunState.RUNNING:
        assert run.may(action)
        act()
        run.refresh_from_db()
        assert run.state == after
    else:
        with pytest.raises(LeaseLost):
            act()
        run.refresh_from_db()
        assert run.state == state


def test_a_run_is_not_released_as_running(run):
    with pytest.raises(ValueError, match="released as running"):
        lease.release(run.pk, lease.take(run.pk), RunState.RUNNING)


def test_a_second_pause_is_refused_and_a_cancel_request_is_not_withdrawn(run, control):
    lease.take(run.pk)
    assert [control("pause"), control("pause")] == [1, 0]
    assert run.actions == ["resume", "cancel"]
    assert [control("cancel"), control("resume")] == [1, 0]
    assert (run.stop_request, run.actions) == (StopRequest.CANCEL, ["cancel"])


def test_finished_and_cancelled_runs_never_change():
    before = {state for change in TRANSITIONS.values() for state in change.before}
    assert not before & set(TERMINAL)
    assert {change.after for change in TRANSITIONS.values()} == set(RunState) and set(ENDED) >= set(TERMINAL)
