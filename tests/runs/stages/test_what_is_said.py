"""How pages, the API, events and visitors describe a staged comparison that stopped early."""

import json
import re

import pytest
from django.core.management import call_command
from django.test import Client

from api.schemas.experiments import ExperimentOut
from pages.dashboard.selectors.experiments import with_progress
from pages.reports.contents import experiment_report
from pages.reports.runs import every_run, states
from runs.services.control import runs_control
from runs.stages.page import staged_panel
from runs.stages.services import comparison_continue
from sharing.services import share_link_create
from workspace.webhooks.models import Event
from workspace.webhooks.services import webhook_create

SUMMARY = "Finished: 16 of 24 runs finished, 8 stopped (not played)"


@pytest.fixture
def half_played(staged, play_stage):
    """After the first of three looks; the second one decides."""
    experiment = staged("random", "pricing-constant")
    play_stage(experiment)
    return experiment


@pytest.fixture
def decided(half_played, play_stage):
    play_stage(half_played)
    return half_played


@pytest.fixture
def visit(alice):
    """The text that a visitor with a link to an experiment reads."""

    def visit(experiment):
        owner = alice.memberships.select_related("organization", "user").get()
        token = share_link_create(actor=owner, target=experiment, lasts="30")[1]
        return Client().get(f"/s/{token}/").text

    return visit


@pytest.mark.long
def test_no_page_calls_a_decided_experiment_cancelled(page, decided, visit):
    run = decided.runs.filter(state="cancelled").first()
    pages = {name: page.get(name).text for name in ("/", "/experiments/", "/runs/", f"/experiments/{decided.pk}/")}
    pages["run"] = page.get(f"/runs/{run.pk}/").text
    pages["visitor"] = visit(decided)
    for name, text in pages.items():
        assert not re.search(r">\s*Cancelled|\d cancelled|: cancelled|was cancelled", text), name
        assert "not played" in text.lower(), name
    for name in ("/", "/experiments/", "visitor"):
        assert '<span class="state finished">Finished</span>' in pages[name], name
    assert "Not played: the comparison was decided at stage 2." in pages["run"]
    assert "This run was not played. Only finished runs have findings." in pages["run"]
    assert "<span>100 %</span>" in pages["visitor"]


@pytest.mark.long
def test_leaderboards_do_not_count_unplayed_runs_as_missing(page, decided):
    periods = decided.runs.first().periods
    text = (
        page.get(f"/leaderboard/table.csv?periods={periods}").text + page.get(f"/leaderboard/?periods={periods}").text
    )
    assert "without a score" not in text and f"{decided.runs.filter(state='finished').count() // 2}" in text


@pytest.mark.long
def test_api_command_line_reports_and_webhooks_report_an_early_stop(alice, half_played, play_stage, capsys):
    owner = alice.memberships.select_related("organization").get()
    webhook_create(actor=owner, url="https://example.org/", events=["experiment.finished"])
    play_stage(half_played)
    data = json.loads(Event.objects.get().body)["data"]["experiment"]
    assert (data["state"], data["summary"], data["runs"]) == ("finished", SUMMARY, {"finished": 16, "cancelled": 8})
    call_command("watch", str(half_played.pk))
    assert f"{SUMMARY}; 64 of 96 periods played" in capsys.readouterr().out
    told = ExperimentOut.values(half_played, with_progress([half_played])[0].progress)
    assert (told["state"], told["summary"], told["progress"]) == ("finished", SUMMARY, 1.0)
    runs = half_played.runs.all()
    assert states(runs) == "24 runs: 8 not played, 16 finished."
    answer, caution = experiment_report(half_played, "a test").answers
    assert answer == staged_panel(half_played).sentence and "looks after each stage" in caution
    assert "not played" in str(every_run(runs).rows) and "cancelled" not in str(every_run(runs).rows)


@pytest.mark.long
def test_runs_cancelled_by_a_person_are_still_called_cancelled(half_played, play_stage, alice):
    one = half_played.runs.filter(instance__seed=11)
    runs_control(runs=one, action="cancel", user=alice)
    play_stage(half_played)
    progress = with_progress([half_played])[0].progress
    assert progress.summary == "Stopped: 16 of 24 runs finished, 8 stopped (2 cancelled, 6 not played)"
    assert progress.state == "cancelled" and progress.percent == 88


@pytest.mark.long
def test_a_visitor_sees_the_looks_without_dollars_and_buttons(half_played, play_stage, alice, page, visit):
    text = visit(half_played)
    assert "Stage 2 of 3: both agents play 8 of 12 instances." in text and "Mean difference, points" in text
    assert (
        "Play the rest anyway" not in text
        and "Play the rest anyway" in page.get(f"/experiments/{half_played.pk}/").text
    )
    half_played.runs.filter(state="queued", instance__seed=4).update(state="errored")
    half_played.runs.filter(state="queued").update(state="finished", score=0.5, cost_nano=10**9)
    assert "Stage 2 of 3 waits for 2 errored runs." in visit(half_played)
    half_played.runs.filter(state="errored").update(state="finished", score=0.5, cost_nano=10**9)
    half_played.runs.filter(state="finished", agent__slug="random").update(score=0.1)
    play_stage(half_played)
    half_played.staged.refresh_from_db()
    assert half_played.staged.saved_nano
    text = visit(half_played)
    assert "Decided after 8 of 12 instances" in text and "8 runs were not played." in text and "$" not in text
    assert "Launch the other seeds" not in text and "/experiments/" not in text


@pytest.mark.long
def test_a_visitor_does_not_read_who_let_all_runs_play(half_played, alice, visit):
    comparison_continue(experiment=half_played, user=alice)
    text = visit(half_played)
    assert "A member let all runs play in stage 2." in text and "alice" not in text
