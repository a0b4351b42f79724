"""Every service changes the state of a run only as TRANSITIONS allows."""

from __future__ import annotations

import pytest

from infrastructure.transactions import write_transaction
from runs.engine import lease
from runs.engine.exceptions import LeaseLost
from runs.models import Run, RunState
from runs.models.runs import ENDED, TERMINAL, TRANSITIONS, StopRequest
from runs.services import run_cancel, run_pause, run_resume, run_retry

pytestmark = pytest.mark.django_db

SERVICES = {"pause": run_pause, "cancel": run_cancel, "resume": run_resume, "retry": run_retry}
BY_RELEASE = ("requeue", "wait", "stall", "fail", "pause", "cancel")


@pytest.fixture
def run(launch):
    return launch("random").runs.get()


def put(run: Run, **values: object) -> None:
    Run.objects.filter(pk=run.pk).update(**values)
    run.refresh_from_db()


@pytest.mark.parametrize("state", RunState)
@pytest.mark.parametrize("action", SERVICES)
def test_a_service_does_what_transitions_allow_and_refuses_the_rest(run, alice, action, state):
    put(run, state=state, stop_request=StopRequest.PAUSE if action == "resume" and state == RunState.RUNNING else "")
    allowed = run.may(action)
    assert allowed == (state in TRANSITIONS[action].before or bool(run.stop_request))
    assert getattr(run, f"may_{action}") == allowed
    assert SERVICES[action](run=run, user=alice) == allowed
    run.refresh_from_db()
    expected = TRANSITIONS[action].after if allowed and state != RunState.RUNNING else state
    assert run.state == expected


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

    def act() -> None:
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


def test_a_second_pause_is_refused_and_a_cancel_request_is_not_withdrawn(run, alice):
    lease.take(run.pk)
    assert run_pause(run=run, user=alice) and not run_pause(run=run, user=alice)
    run.refresh_from_db()
    assert not run.may_pause and run.may_resume and run.may_cancel
    assert run_cancel(run=run, user=alice) and not run_resume(run=run, user=alice)
    run.refresh_from_db()
    assert (run.stop_request, run.may_pause, run.may_resume) == (StopRequest.CANCEL, False, False)


def test_finished_and_cancelled_runs_never_change():
    before = {state for change in TRANSITIONS.values() for state in change.before}
    assert not before & set(TERMINAL)
    assert {change.after for change in TRANSITIONS.values()} == set(RunState) and set(ENDED) >= set(TERMINAL)
