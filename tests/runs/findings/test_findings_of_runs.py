"""Findings are computed once per finished run and version of the rules, also after kills."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import OperationalError, connection, transaction
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

import infrastructure.claims
from environments.findings import VERSION
from environments.registry import RULES, evaluate_run
from runs.findings import services, tasks
from runs.findings.models import Finding, RunFindings
from runs.findings.services import FINDINGS, claims, findings_compute, played_run
from runs.models import Note, Run
from tests.at_once import at_once
from tests.cast import play_all
from tests.unproven import GAME, limit_attempts, prove_all, solve_here


@pytest.fixture
def run(finished):
    """A finished run that found the optimum in period 0."""
    return finished()


@pytest.fixture
def woken(monkeypatch):
    """The wake-ups sent, by task name."""
    sent = []
    for module in (tasks, infrastructure.claims):
        monkeypatch.setattr(module, "wake", lambda task, **options: sent.append(task))
    return sent


def sentences(run):
    return list(Finding.objects.filter(run=run).values_list("sentence", flat=True))


@pytest.mark.long
def test_findings_of_a_finished_run_are_computed_once(run):
    assert FINDINGS.work_next()
    (row,) = Finding.objects.all()
    assert (row.run, row.organization, row.rule, row.period) == (run, run.organization, "first_optimum", 0)
    assert row.sentence == "It first found the optimal plan in period 0."
    assert RunFindings.objects.get().rules_version == VERSION
    assert not FINDINGS.work_next()


def test_a_run_that_ends_wakes_a_worker_after_the_commit_without_a_query(woken, django_capture_on_commit_callbacks):
    with CaptureQueriesContext(connection) as queries, django_capture_on_commit_callbacks() as later:
        tasks.notify([1])
        assert not woken
    assert len(queries) == 0
    later[0]()
    assert woken == [claims.task]


@pytest.mark.long
def test_the_sweep_finds_a_run_whose_worker_died_before_the_wake_up(run, woken):
    claims.sweep()
    assert woken == [claims.task]
    for _ in range(2):  # a message for the run, and the message that it sends
        woken.clear()
        tasks.compute_next()
    assert sentences(run) and not woken
    claims.sweep()
    assert not woken


@pytest.mark.long
def test_a_claim_excludes_other_workers_until_it_expires(run):
    assert claims.claim_next().row_id == run.pk
    assert claims.claim_next() is None
    # The worker was killed while it computed.
    RunFindings.objects.update(claimed_until=Now() - timedelta(seconds=1))
    assert FINDINGS.work_next() and sentences(run)


@pytest.mark.long
def test_new_rules_are_applied_to_old_runs_and_replace_their_findings(run):
    findings_compute(run=run)
    RunFindings.objects.update(rules_version=VERSION - 1)
    Finding.objects.update(sentence="By the old rules.")
    assert FINDINGS.work_next()
    assert sentences(run) == ["It first found the optimal plan in period 0."]
    # A worker of an older version leaves newer findings alone.
    RunFindings.objects.update(rules_version=VERSION + 1)
    assert not claims.due().exists()


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_concurrent_computations_store_the_findings_once(run):
    at_once(*[partial(findings_compute, run=run)] * 4)
    assert len(sentences(run)) == 1


def test_only_finished_and_imported_runs_are_due(run):
    Run.objects.update(imported=True, ended_at=None)
    assert list(claims.due()) == [run]
    for state in ("queued", "running", "paused", "stalled", "errored", "cancelled"):
        Run.objects.update(state=state)
        assert not claims.due().exists()


@pytest.mark.long
def test_a_run_deleted_during_the_computation_is_skipped(run, finished):
    other = finished()
    with transaction.atomic():
        run.experiment.delete()
        findings_compute(run=other)
    assert sentences(other)


@pytest.mark.long
def test_an_error_of_a_rule_is_stored_and_not_retried(run, monkeypatch, page):
    def fault(played):
        raise AssertionError("no\x00thing")

    monkeypatch.setattr(services, "evaluate_run", fault)
    assert FINDINGS.work_next() and not FINDINGS.work_next()
    text = page.get(f"/runs/{run.pk}/").text
    assert "The findings of this run could not be computed." in text and "AssertionError: no�thing" in text


def die_over(run):
    """A worker claims the run and is killed; its claim expires."""
    assert claims.claim_next().row_id == run.pk
    RunFindings.objects.update(claimed_until=Now() - timedelta(seconds=1))


@pytest.mark.long
def test_a_run_that_kills_three_workers_is_given_up(run, finished, monkeypatch, page, viewer, woken):
    for _ in range(3):
        die_over(run)
    monkeypatch.setattr(services, "evaluate_run", lambda played: pytest.fail("A fourth worker must not try."))
    assert FINDINGS.work_next() and not FINDINGS.work_next() and not sentences(run)
    for visitor, may in ((page, True), (viewer, False)):
        text = visitor.get(f"/runs/{run.pk}/").text
        assert "The findings of this run could not be computed." in text
        assert (
            "3 workers ended while they worked on this computation of findings. Workers may need more memory." in text
        )
        assert ("Compute again" in text) is may
    monkeypatch.undo()
    assert page.post(f"/runs/{run.pk}/findings/again/").url == f"/runs/{run.pk}/#findings"
    assert "Not computed yet." in page.get(f"/runs/{run.pk}/").text
    for _ in range(2):
        die_over(run)
    assert FINDINGS.work_next() and sentences(run)
    page.post(f"/runs/{run.pk}/findings/again/")  # there is nothing to repair
    assert not claims.due().exists() and RunFindings.objects.get().tries == 0


@pytest.mark.long
def test_repeated_database_errors_also_give_a_run_up(run, monkeypatch):
    def fault(played):
        raise OperationalError("too big")

    monkeypatch.setattr(services, "evaluate_run", fault)
    for _ in range(3):
        assert FINDINGS.work_next() and RunFindings.objects.get().error == ""
        RunFindings.objects.update(claimed_until=Now() - timedelta(seconds=1))
    assert FINDINGS.work_next() and not claims.due().exists()
    assert RunFindings.objects.get().error.startswith("3 workers ended")


@pytest.mark.long
def test_new_rules_retry_a_run_that_was_given_up(run):
    for _ in range(3):
        die_over(run)
    assert FINDINGS.work_next()
    RunFindings.objects.update(rules_version=VERSION - 1)
    assert FINDINGS.work_next() and sentences(run)


def test_missing_values_give_fewer_findings_and_no_error(run):
    for row in run.period_rows.all():
        row.result, row.quality = {}, None
        row.save()
    findings_compute(run=run)
    assert sentences(run) == [] and RunFindings.objects.get().error == ""


def test_notes_of_models_are_judged_and_notes_of_baselines_are_not(run):
    Note.objects.create(run=run, period_index=1, seat="seat_0", order=5, text="More.")
    assert played_run(run).notes == {"seat_0": {}}
    run.agent.baseline = ""
    assert played_run(run).notes["seat_0"][1].endswith("\nMore.")


def test_every_environment_has_rules():
    assert all(RULES.values())


def test_findings_are_computed_again_when_a_run_gets_its_score(launch, monkeypatch):
    limit_attempts(monkeypatch, 0.0, 100.0)
    solve_here(monkeypatch)
    experiment = launch("optimum", **GAME)
    play_all(experiment)
    run = experiment.runs.select_related("instance", "agent", "rival").get()
    findings_compute(run=run)
    assert not claims.due().exists()
    prove_all()
    assert claims.due().get() == run, "what it found was from before the score"

    def score_meanwhile(played):
        Run.objects.filter(pk=run.pk).update(score=0.25)
        return evaluate_run(played)

    monkeypatch.setattr(services, "evaluate_run", score_meanwhile)
    findings_compute(run=run)
    assert RunFindings.objects.get().rules_version == 0, "they are from before the newest score"
    RunFindings.objects.update(claimed_until=None)
    monkeypatch.setattr(services, "evaluate_run", evaluate_run)
    findings_compute(run=run)
    assert not claims.due().exists()
