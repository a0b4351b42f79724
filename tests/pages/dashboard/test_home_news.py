"""The news on Home: runs that finished since the last visit, and their highlights."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.services.people import VISIT_BREAK, home_visit
from pages.dashboard.selectors.news import news
from runs.findings.models import Finding


def test_a_visit_begins_after_a_break_and_survives_reloads(alice):
    assert home_visit(user=alice) is None
    alice.refresh_from_db()
    first = alice.home_seen_at
    assert home_visit(user=alice) is None, "a reload is the same visit"
    User.objects.filter(pk=alice.pk).update(home_seen_at=first - VISIT_BREAK - timedelta(minutes=1))
    for _ in range(2):
        alice.refresh_from_db()
        assert home_visit(user=alice) == first - VISIT_BREAK - timedelta(minutes=1)


@pytest.fixture
def finished(painted):
    """Two models on three instances: an hour ago with a low score, and half an hour ago with a higher one."""

    def finish(hours, scores):
        experiment = painted("gpt-5", "random", "optimum", seeds=(0, 1, 2), states=("finished",))
        for run in experiment.runs.all():
            run.score = scores[run.agent.slug] + run.instance.seed / 100
            run.ended_at = timezone.now() - timedelta(hours=hours)
            run.save()
        return experiment

    return finish


@pytest.mark.long
def test_news_list_new_runs_with_their_highlights(finished, organization, django_assert_num_queries):
    old = finished(5, {"gpt-5": 0.5, "random": 0.3, "optimum": 0.9})
    new = finished(1, {"gpt-5": 0.7, "random": 0.2, "optimum": 0.9})
    run = new.runs.filter(agent__slug="gpt-5").first()
    Finding.objects.create(organization=organization, run=run, rule="stopped_improving", sentence="It stopped.")
    with django_assert_num_queries(4):
        (found,) = news(organization=organization, since=timezone.now() - timedelta(hours=2))
    assert (found["experiment_id"], found["runs"]) == (new.pk, 9)
    told = " ".join(sentence for sentence, _ in found["sentences"])
    assert "new best score in Pricing BASIC: 72.0, before 52.0." in told and "interval" not in told
    assert "scores 70.0 points more than" in told and "(3 instances, the largest of 3 pairs)" in told
    assert len(found["sentences"]) <= 3
    assert [item["experiment_id"] for item in news(organization=organization, since=None)] == [new.pk, old.pk]


def test_the_page_says_if_there_is_no_news(page, finished):
    assert "No run has finished yet." in page.get("/news/").text
    finished(1, {"gpt-5": 0.7, "random": 0.2, "optimum": 0.9})
    assert "Finished lately" in page.get("/news/").text
    User.objects.update(home_seen_before=timezone.now() - timedelta(hours=3))
    assert "Finished since you were last here" in page.get("/news/").text
    User.objects.update(home_seen_before=timezone.now())
    text = page.get("/news/").text
    assert "nothing new since" in text and "9 runs finished" in text
