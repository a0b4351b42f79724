"""Pages report runs that make no progress."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.pages.dashboard.conftest import experiment_page


def ago(seconds):
    return timezone.now() - timedelta(seconds=seconds)


def played_since(run, seconds, **values):
    """A run that a living worker holds and that moved so long ago."""
    lease = {"state": "running", "lease_until": ago(-10)}
    type(run).objects.filter(pk=run.pk).update(progressed_at=ago(seconds), **lease | values)


@pytest.mark.long
def test_due_runs_without_a_worker_are_reported_with_the_command_to_start_it(page, launch):
    experiment = launch("random", seeds=(0, 1))
    assert "No worker is running." not in experiment_page(page, experiment)
    experiment.runs.update(created_at=ago(31))
    text = experiment_page(page, experiment)
    assert "No worker is running." in text and "2 runs are due" in text and "bin/econevals work" in text
    assert "No worker is running." in page.get(f"/runs/{experiment.runs.first().pk}/").text
    played_since(experiment.runs.first(), 5)
    assert "No worker is running." not in experiment_page(page, experiment), "the other run waits for its turn"


def test_runs_of_a_dead_worker_are_due_and_runs_with_a_later_wake_up_are_not(page, launch):
    experiment = launch("random")
    experiment.runs.update(created_at=ago(900), progressed_at=ago(200), state="running", lease_until=ago(40))
    assert "No worker is running." in experiment_page(page, experiment)
    experiment.runs.update(state="waiting", wake_at=ago(-60), lease_until=None)
    assert "No worker is running." not in experiment_page(page, experiment)


def test_a_just_resumed_run_is_not_reported_as_stuck(page, painted):
    experiment = painted("random", states=("paused",))
    experiment.runs.update(created_at=ago(90_000), progressed_at=ago(80_000))
    response = page.post(f"/experiments/{experiment.pk}/resume/", follow=True)
    assert "Resumed 1 run." in response.text
    assert "No worker is running." not in response.text


@pytest.mark.long
def test_a_call_without_a_reply_is_reported_after_a_minute(page, billed):
    experiment = billed(calls=("sent",))
    run, live = experiment.runs.get(), f"/experiments/{experiment.pk}/live/"
    played_since(run, 50, started_at=ago(60))
    assert "has waited for a reply" not in experiment_page(page, experiment)
    version = page.get(live).context["version"]
    assert page.get(live, {"version": version}).status_code == 204
    played_since(run, 70)
    assert page.get(live, {"version": version}).status_code == 200
    for address in (f"/experiments/{experiment.pk}/", f"/runs/{run.pk}/"):
        text = page.get(address).text
        assert "has waited for a reply of GPT-5 since" in text
        assert "given up and sent again; nothing is lost" in text


@pytest.mark.long
def test_a_wait_that_is_usual_for_the_agent_is_not_reported(page, billed):
    experiment = billed(calls=("sent",), seeds=(0, 1))
    slow, other = experiment.runs.order_by("id")
    played_since(other, 10, started_at=ago(4010), queries=100)
    played_since(slow, 110, started_at=ago(150))
    assert "has waited for a reply" not in experiment_page(page, experiment)
    played_since(slow, 130)
    text = experiment_page(page, experiment)
    assert f"Run {slow.pk}</a> has waited for a reply" in text
    assert "usually takes about" in text


@pytest.mark.long
def test_a_run_without_progress_or_calls_is_reported_later(page, launch):
    experiment = launch("random")
    run = experiment.runs.get()
    played_since(run, 300, started_at=ago(400))
    assert "has made no progress" not in experiment_page(page, experiment)
    played_since(run, 700)
    assert "has made no progress since" in experiment_page(page, experiment)


def test_runs_without_progress_are_one_notice_with_a_fold(page, launch):
    experiment = launch("random", seeds=tuple(range(5)))
    for run in experiment.runs.all():
        played_since(run, 5000, started_at=ago(6000))
    text = experiment_page(page, experiment)
    assert text.count("notice warn stall") == 1 and "5 runs have made no progress, the first since" in text
    assert text.partition("quiet-runs")[2].count("has made no progress since") == 3
