"""Staged experiments played by baselines: each look is taken once, and no run is played after the decision."""

from threading import Thread

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from runs.models import PauseCause, RunState
from runs.services import experiment_set_budget, runs_control
from runs.stages import services
from runs.stages.models import StagedComparison, StageLook
from runs.stages.page import staged_panel
from runs.stages.services import comparison_continue, look_take, looks_take
from runs.watching import is_active
from tests.runs.stages.conftest import UNEQUAL
from tests.unproven import CLIMBER, limit_attempts, prove_all, solve_here


def states(experiment):
    return dict(experiment.runs.order_by("id").values_list("instance__seed", "state"))


def test_later_stages_wait_and_a_general_resume_does_not_start_them(staged, alice):
    experiment = staged(*UNEQUAL)
    waiting = experiment.runs.filter(pause_cause=PauseCause.STAGE)
    assert set(states(experiment).items()) == {(s, "queued") for s in range(4)} | {(s, "paused") for s in range(4, 12)}
    assert set(waiting.values_list("reason", flat=True)) == {"Waits for stage 2 of 3.", "Waits for stage 3 of 3."}
    runs_control(runs=experiment.runs.all(), action="pause", user=alice)
    assert runs_control(runs=experiment.runs.all(), action="resume", user=alice) == 8
    assert experiment_set_budget(experiment=experiment, budget_nano=10**9) == 0
    assert not waiting.first().may("resume") and waiting.first().may("cancel") and waiting.count() == 16
    assert is_active(experiment)


@pytest.mark.long
def test_clearly_different_agents_stop_early_and_cancel_the_remaining_runs(staged, play_stage):
    experiment = staged(*UNEQUAL)
    for _ in range(3):
        play_stage(experiment)
    panel = staged_panel(experiment)
    assert (panel.comparison.state, panel.comparison.stage, panel.comparison.saved_runs) == ("different", 2, 8)
    assert panel.sentence.startswith("Decided after 8 of 12 instances: ")
    assert "(p = 0.0156, boundary 0.0156). 8 runs were not played." in panel.sentence
    assert [row.boundary for row in panel.rows] == ["none", "0.0156", "–"] and panel.unplayed == "8-11"
    left = experiment.runs.filter(state=RunState.CANCELLED)
    assert left.count() == 8 and set(left.values_list("pause_cause", "periods_played")) == {("stage", 0)}
    assert set(left.values_list("reason", flat=True)) == {"Not played: the comparison was decided at stage 2."}
    assert not is_active(experiment)


@pytest.mark.long
def test_equal_agents_play_all_stages_without_a_verdict(staged, play_stage, organization):
    organization.agents.create(slug="twin", name="Twin", baseline="pricing-constant")
    experiment = staged("pricing-constant", "twin")
    for _ in range(3):
        play_stage(experiment)
    panel = staged_panel(experiment)
    assert (panel.comparison.state, experiment.runs.filter(state="finished").count()) == ("undecided", 24)
    assert panel.sentence == (
        "Not decided after all 12 instances: Constant prices and Twin score the same on average "
        "(p = 1.00, boundary none): too few instances on which they differ for a verdict."
    )


@pytest.mark.long
def test_a_comparison_is_given_up_if_the_planned_difference_is_out_of_reach(staged, play_stage):
    experiment = staged(*UNEQUAL, points=5.0)
    for stage in (1, 2):
        play_stage(experiment, look=False)
        second = experiment.runs.filter(state="finished", agent=experiment.staged.second_id)
        experiment.runs.filter(state="finished").update(score=0.5)
        for run in second.select_related("instance"):
            second.filter(pk=run.pk).update(score=0.6 if run.instance.seed % 2 else 0.4)
        looks_take()
        assert staged_panel(experiment).comparison.stage == 2, stage
    panel = staged_panel(experiment)
    assert panel.sentence == (
        "Stopped without a verdict after 8 of 12 instances: Constant prices and Random score the same on average so far "
        "(p = 1.00, boundary 0.0078). If the agents differed by the planned 5 points, the other instances would show it "
        "with a probability of under 1 %. 8 runs were not played."
    )
    assert panel.comparison.state == "futile" and experiment.runs.filter(state="cancelled").count() == 8


@pytest.mark.long
def test_the_last_look_has_no_conditional_power_even_if_an_instance_is_missing(staged, play_stage, alice):
    experiment = staged(*UNEQUAL, stages=(4, 8), points=5.0)
    runs_control(runs=experiment.runs.filter(instance__seed=0, agent__slug="random"), action="cancel", user=alice)
    for _ in range(2):
        play_stage(experiment)
    assert list(StageLook.objects.values_list("n", "conditional_power")) == [(3, None), (7, None)]


@pytest.mark.long
def test_a_kill_before_or_during_a_look_leaves_it_to_the_sweep(staged, play_stage, monkeypatch):
    experiment = staged(*UNEQUAL)
    play_stage(experiment, look=False)
    comparison = experiment.staged

    def killed(**options):
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(services, "stage_resume", killed)
        with pytest.raises(SystemExit):
            look_take(comparison_id=comparison.pk, stage=1)
    comparison.refresh_from_db()
    assert (comparison.stage, comparison.looks.count()) == (1, 0)
    looks_take()
    comparison.refresh_from_db()
    assert (comparison.stage, comparison.looks.count()) == (2, 1)
    assert [states(experiment)[seed] for seed in (3, 4, 7, 8)] == ["finished", "queued", "queued", "paused"]
    # A second process that read the same state does nothing.
    assert not look_take(comparison_id=comparison.pk, stage=1) and not look_take(comparison_id=comparison.pk, stage=2)
    looks_take()
    assert StageLook.objects.count() == 1


@pytest.mark.sampled
@pytest.mark.parametrize(("state", "cause", "words"), [
    ("errored", "", "1 errored run (retry or cancel)"),
    ("stalled", "", "1 stalled run (retry or cancel)"),
    ("paused", "budget", "1 paused run (resume or cancel)"),
])  # fmt: skip
def test_a_stage_waits_for_stopped_runs_and_lists_them(staged, play_stage, alice, state, cause, words):
    experiment = staged(*UNEQUAL)
    play_stage(experiment, look=False)
    stopped = experiment.runs.filter(pk=experiment.runs.filter(state="finished").first().pk)
    stopped.update(state=state, pause_cause=cause, score=None)
    looks_take()
    assert staged_panel(experiment).sentence == f"Stage 1 of 3 waits for {words}."
    assert not is_active(experiment) and not StageLook.objects.exists()
    # Cancelled, the run counts for nothing, and its instance is left out.
    runs_control(runs=stopped, action="cancel", user=alice)
    looks_take()
    assert staged_panel(experiment).rows[0].instances == 3 and is_active(experiment)


@pytest.mark.long
def test_a_person_can_play_all_runs_once_and_no_later_look_stops_them(staged, play_stage, alice):
    experiment = staged(*UNEQUAL)
    play_stage(experiment)
    assert comparison_continue(experiment=experiment, user=alice) == 8
    assert staged_panel(experiment).sentence.startswith("alice let all runs play in stage 2.")
    with pytest.raises(ValidationError, match="waits for a later stage"):
        comparison_continue(experiment=experiment, user=alice)
    play_stage(experiment)
    assert experiment.runs.filter(state="finished").count() == 24 and StageLook.objects.count() == 1


@pytest.mark.long
def test_cancelling_an_experiment_ends_its_comparison(staged, play_stage, alice):
    experiment = staged(*UNEQUAL)
    play_stage(experiment)
    runs_control(runs=experiment.runs.all(), action="cancel", user=alice)
    looks_take()
    panel = staged_panel(experiment)
    assert panel.comparison.state == "withdrawn" and not is_active(experiment)
    assert panel.sentence.startswith("The later stages were cancelled after 4 of 12 instances")
    assert panel.comparison.saved_runs == 0 and panel.unplayed == ""


@pytest.mark.long
def test_saved_dollars_are_estimated_from_finished_runs_of_the_same_kind(staged, play_stage):
    experiment = staged(*UNEQUAL)
    play_stage(experiment)
    play_stage(experiment, look=False)
    experiment.runs.filter(state="finished", agent__slug="random").update(cost_nano=775_000_000)
    looks_take()
    assert "8 runs were not played; about $3.10 saved." in staged_panel(experiment).sentence


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_simultaneous_processes_take_a_single_look(staged, play_stage):
    experiment = staged(*UNEQUAL)
    StagedComparison.objects.update(state="continued")
    play_stage(experiment, look=False)
    StagedComparison.objects.update(state="playing")
    taken = []

    def take():
        taken.append(look_take(comparison_id=experiment.staged.pk, stage=1))
        connection.close()

    threads = [Thread(target=take) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [False] * 5 + [True] and StageLook.objects.count() == 1


def test_a_look_waits_for_runs_with_unproven_optima(staged, play_stage, monkeypatch):
    limit_attempts(monkeypatch, 0.0, 100.0)
    solve_here(monkeypatch)
    # The published optima are known.
    experiment = staged("random", CLIMBER, stages=(4, 8), environments=("procurement",), generator="paper_text")
    play_stage(experiment)
    assert not StageLook.objects.exists()
    sentence = staged_panel(experiment).sentence
    assert sentence == "Stage 1 of 2 waits for 8 unscored runs (the optimum is not proven yet)."
    prove_all()
    looks_take()
    assert StageLook.objects.get().n == 4
