"""An unproven optimum is searched for again, and runs played before the proof get their scores."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.db.models.functions import Now

from accounts.models import Organization
from agents.notes import Notes
from infrastructure.processes.stopping import stopping
from runs.engine import lease
from runs.engine.advance import advance
from runs.engine.calls import Unsettled
from runs.engine.period import end_period, play
from runs.engine.reference import ensure_drawn, ensure_reference
from runs.models import Instance, Period, Proof, ProofState, Run, RunState
from runs.proofs.claims import claims
from runs.proofs.scoring import run_score, unscored
from runs.proofs.services import proof_search_again, proofs_score
from runs.proofs.work import PROOFS
from runs.rebuilding import rebuild
from tests.cast import play_to_the_end
from tests.crossing import crossing
from tests.unproven import CLIMBER, GAME, SEED, limit_attempts, prove_all, solve_here


@pytest.fixture(autouse=True)
def _no_claims_left(db):
    """Before the database is closed to the heartbeat, which renews those that a test did not give back."""
    yield
    claims.held.clear()


@pytest.fixture
def limits(monkeypatch):
    return partial(limit_attempts, monkeypatch)


@pytest.fixture
def unproven(limits, launch):
    """Play a run to its end while the optimum is not proven; the second attempt has time enough."""

    def play(**options):
        limits(0.0, 100.0)
        experiment = launch(CLIMBER, **GAME | options)
        for run_id in experiment.runs.values_list("id", flat=True):
            play_to_the_end(run_id)
        return experiment

    return play


@pytest.fixture
def solved_here(monkeypatch):
    return solve_here(monkeypatch)


def its_worker_died():
    """Simulates claims of another process that was killed a while ago."""
    claims.held.clear()
    Proof.objects.update(claim_until=Now() - timedelta(seconds=1))


class Killed(BaseException):
    """What no code of ours catches."""


def killed_before(words):
    """Kill the worker before the first statement that begins so and has the others in its text or among its values."""

    def execute_or_die(execute, sql, params, many, context):
        if sql.startswith(words[0]) and all(word in sql or word in params for word in words):
            raise Killed
        return execute(sql, params, many, context)

    with connection.execute_wrapper(execute_or_die), pytest.raises(Killed):
        prove_all()
    its_worker_died()


def as_played(run):
    """What a run stores that follows from its actions and the reference."""
    periods = list(Period.objects.filter(run=run).values_list("index", "action", "result", "quality"))
    return [getattr(run, name) for name in ("score", "solved", "metrics", "reason", "last_quality")], periods


def test_a_proof_gives_an_unscored_run_the_score_of_an_immediate_proof(unproven, solved_here, launch):
    run = unproven().runs.get()
    assert (run.state, run.score, run.last_quality) == (RunState.FINISHED, None, None)
    assert "not proven" in run.reason
    ended = run.ended_at
    prove_all()
    proof = Proof.objects.get()
    assert (proof.state, proof.attempts, proof.problem, solved_here) == (ProofState.PROVEN, 2, "", [100.0])
    assert Instance.objects.get().reference["optimum"]["proven"]
    run.refresh_from_db()
    fresh = launch(CLIMBER, **GAME).runs.get()
    play_to_the_end(fresh.pk)
    fresh.refresh_from_db()
    assert as_played(run) == as_played(fresh)
    assert run.score > 0 and (run.score, run.solved, run.ended_at) == (fresh.score, fresh.solved, ended)


@pytest.mark.parametrize(
    "words",
    [
        ("UPDATE", "runs_instance", "reference"),
        ("UPDATE", "runs_run", "score"),
        ("UPDATE", "runs_period", "quality"),
        ("UPDATE", "runs_proof", ProofState.PROVEN),
    ],
    ids=["before the proof is stored", "before the score", "between score and periods", "before the end"],
)
def test_a_later_worker_completes_the_work_of_a_killed_worker(unproven, solved_here, words):
    run = unproven().runs.get()
    killed_before(words)
    prove_all()
    run.refresh_from_db()
    assert Proof.objects.get().state == ProofState.PROVEN
    assert run.score is not None and not unscored(run.instance_id).exists()
    assert run.score == max(Period.objects.filter(run=run).values_list("quality", flat=True))


def test_many_searches_of_an_organization_do_not_delay_another_organization(launch):
    first = launch(CLIMBER, **GAME | {"seeds": (SEED, SEED + 1, SEED + 2)})
    for run in first.runs.all():
        ensure_drawn(run.instance)
        Proof.objects.create(instance=run.instance)
    last = Proof.objects.order_by("-id").first()
    other = Organization.objects.create(name="Second Lab", slug="second-lab")
    Instance.objects.filter(pk=last.instance_id).update(organization=other)
    claim = claims.claim_next()
    Proof.objects.filter(pk=claim.row_id).update(claim_until=None, asked_at=Now())
    claims.held.clear()
    assert claims.claim_next().row_id == last.pk


def test_a_single_worker_searches_with_growing_time_limits(limits, launch, solved_here):
    limits(0.0, 1e-9, 2e-9, 3e-9)
    experiment = launch(CLIMBER, **GAME | {"seeds": (SEED, SEED + 1)})
    for run_id in experiment.runs.values_list("id", flat=True):
        advance(run_id)
    first = claims.claim_next()
    assert claims.claim_next() is None, "the site searches for one proof at a time"
    claims.finish(first)
    claims.held.clear()
    prove_all()
    assert solved_here == [1e-9, 1e-9, 2e-9, 2e-9, 3e-9, 3e-9], "instances take turns"
    assert set(Proof.objects.values_list("state", "attempts")) == {(ProofState.GIVEN_UP, 4)}
    assert not experiment.runs.exclude(score=None).exists()


def test_a_person_can_restart_an_abandoned_search(limits, launch, solved_here):
    limits(0.0, 1e-9)
    advance(launch(CLIMBER, **GAME).runs.get().pk)
    instance = Instance.objects.get()
    assert not proof_search_again(instance=instance), "it was not given up"
    prove_all()
    limits(0.0, 100.0)
    assert proof_search_again(instance=instance)
    prove_all()
    assert Proof.objects.get().state == ProofState.PROVEN and Run.objects.get().score is not None


def test_a_run_played_with_the_old_reference_is_scored_after_the_proof(limits, launch, solved_here):
    limits(0.0, 100.0)
    run = launch(CLIMBER, **GAME).runs.get()
    fence = lease.take(run.pk)
    run.refresh_from_db()
    ensure_drawn(run.instance)
    ensure_reference(run.instance)
    game, notes = rebuild(run), {"seat_0": Notes()}
    while not game.finished:
        end_period(run, fence, game, play(run, fence, game, notes, Unsettled()))
        if game.period == 2:
            prove_all()
            assert Proof.objects.get().state == ProofState.PROVEN
            assert qualities(run) == [True, True], "those played so far are judged"
    run.refresh_from_db()
    assert (run.state, run.score) == (RunState.FINISHED, None)
    assert qualities(run) == [True, True, False, False] and Proof.objects.get().state == ProofState.SCORING
    prove_all()
    run.refresh_from_db()
    assert run.score is not None and qualities(run) == [True] * 4


def test_a_run_that_continues_after_the_proof_ends_with_a_score(limits, launch, solved_here):
    limits(0.0, 100.0)
    run = launch(CLIMBER, **GAME).runs.get()
    stopping.set()
    try:
        advance(run.pk)
    finally:
        stopping.clear()
    ensure_reference(Instance.objects.get())
    claim = claims.claim_next()
    PROOFS.work(claim)  # the proof, and not yet the scores
    play_to_the_end(run.pk)
    run.refresh_from_db()
    assert Proof.objects.get().state == ProofState.SCORING
    assert run.score is not None
    prove_all()
    assert qualities(run) == [True] * 4


def qualities(run):
    """Whether each period has a quality."""
    values = Period.objects.filter(run=run).order_by("index").values_list("quality", flat=True)
    return [value is not None for value in values]


@pytest.mark.django_db(transaction=True)
def test_simultaneous_workers_start_a_single_search(unproven):
    unproven(seeds=(SEED, SEED + 1))
    first, second = Proof.objects.values_list("pk", flat=True)
    assert crossing(lambda: claims.take(first), lambda: claims.take(second), lambda: None) is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_judged", [True, False], ids=["its periods are judged", "its periods are not"])
def test_a_run_that_ends_during_the_final_check_is_scored(unproven, solved_here, is_judged):
    unproven()
    late = Run.objects.filter(pk=unproven().runs.get().pk)
    late.update(state=RunState.RUNNING)
    PROOFS.work(claims.claim_next())  # the proof
    claim = claims.claim_next()
    if is_judged:
        run_score(late.get().pk)

    def end():
        late.update(state=RunState.FINISHED)
        proofs_score([late.get().pk])

    crossing(end, lambda: PROOFS.work(claim), lambda: None)
    prove_all()
    assert Proof.objects.get().state == ProofState.PROVEN
    assert not Run.objects.filter(score=None).exists()
