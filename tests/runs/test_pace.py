"""The order in which due runs are taken, and the limit of concurrent runs of an experiment."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from runs.engine import lease
from runs.models import Experiment, Run, RunState
from runs.services import catalog_install, experiment_set_pace
from tests.at_once import at_once


def taken(count=1):
    """The experiments of the next runs that workers take; None where no run may be taken."""
    found = [lease.take_next() for _ in range(count)]
    return [Run.objects.get(pk=held[0]).experiment if held else None for held in found]


def test_due_runs_are_taken_by_priority_and_then_by_age(launch):
    low, first, high, second = (launch("random", priority=priority) for priority in ("low", "normal", "high", "normal"))
    assert taken(5) == [high, first, second, low, None]


def test_a_high_priority_does_not_delay_another_organization(launch, other):
    catalog_install(organization=other.organization)
    theirs = launch("random", organization=other.organization)
    ours = launch("random", priority="high", seeds=(0, 1))
    assert taken(3) == [theirs, ours, ours]


def test_an_experiment_respects_its_limit_of_concurrent_runs(launch):
    narrow, wide = launch("random", seeds=(0, 1, 2), runs_at_once=2), launch("random", seeds=(3,))
    assert taken(4) == [narrow, narrow, wide, None]
    run_id, fence = min(lease.held)
    lease.release(run_id, fence, RunState.PAUSED)
    assert taken(2) == [narrow, None]
    experiment_set_pace(experiment=narrow, priority="normal", runs_at_once=None)
    Run.objects.filter(pk=run_id).update(state=RunState.QUEUED)
    assert taken(2) == [narrow, None]


def test_an_expired_lease_frees_its_slot_in_the_experiment(launch):
    narrow = launch("random", seeds=(0, 1), runs_at_once=1)
    assert taken(2) == [narrow, None]
    Run.objects.filter(state=RunState.RUNNING).update(lease_until=Now() - timedelta(seconds=1))
    lease.held.clear()
    assert taken(2) == [narrow, None]


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_simultaneous_workers_respect_the_limit_of_concurrent_runs(launch):
    launch("random", seeds=tuple(range(8)), runs_at_once=2)
    assert sum(found is not None for found in at_once(*[lease.take_next] * 6)) == 2


@pytest.mark.long
def test_priority_and_limit_are_changed_on_the_page_and_invalid_values_refused(launch, page):
    experiment = launch("random", priority="high", runs_at_once=1)
    address = f"/experiments/{experiment.pk}/"
    assert "High priority, at most 1 run at once" in page.get(address).content.decode()
    page.post(f"{address}pace/", {"priority": "low", "runs_at_once": "12"})
    assert Experiment.objects.get().pace == "Low priority, at most 12 runs at once"
    for wrong, sentence in (
        ({"priority": "urgent"}, "Select a valid choice"),
        ({"runs_at_once": "0"}, "At least 1 and at most 10,000 runs are played at once"),
    ):
        assert sentence in page.post(f"{address}pace/", wrong, follow=True).content.decode()
    assert Experiment.objects.get().pace == "Low priority, at most 12 runs at once"
