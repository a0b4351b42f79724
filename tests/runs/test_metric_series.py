"""Metrics with a value for each period have rows of their own, and a run knows the best quality of its periods."""

import json
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.db import connection

from runs.metric_series import result_store
from runs.models import MetricSeries, Run
from runs.rebuilding import rebuild


@pytest.fixture
def run(played):
    return played("random", environments=("procurement",), periods=4).runs.get()


def computed(run):
    game = rebuild(run)
    return json.loads(json.dumps(game.metrics(game.instance, game.outcomes, run.periods)))


def test_a_finished_run_keeps_its_numbers_and_has_its_series_apart(run):
    assert set(computed(run)) - set(run.metrics) == {"best_share_by_period"}
    assert run.series.get().values == computed(run)["best_share_by_period"] and len(run.series.get().values) == 4
    assert run.all_metrics == computed(run)


def test_a_new_result_replaces_the_series_of_the_earlier_one(run):
    shares = [0.25, 0.5, 0.5, 1.0]
    result = {"score": 1.0, "metrics": {"solved": True, "best_share_by_period": shares, "other_by_period": None}}
    assert not result_store(runs=Run.objects.filter(state="stalled"), run_id=run.pk, result=result)
    assert result_store(runs=Run.objects.all(), run_id=run.pk, result=result)
    run.refresh_from_db()
    assert run.metrics == {"solved": True, "other_by_period": None} and run.series.get().values == shares


def test_a_run_in_play_has_no_metrics(run):
    Run.objects.update(metrics=None)
    run.refresh_from_db()
    assert run.all_metrics is None


def test_the_best_quality_is_that_of_the_best_period(run):
    qualities = [outcome.quality for outcome in rebuild(run).outcomes]
    assert (run.best_quality, run.last_quality) == (max(qualities), qualities[-1])


def test_the_migration_moves_series_and_keeps_every_digit(run):
    before, best = run.all_metrics, run.best_quality
    MetricSeries.objects.all().delete()
    Run.objects.update(metrics=before, best_quality=None)
    import_module("runs.migrations.0036_metric_series").fill(None, SimpleNamespace(connection=connection))
    run.refresh_from_db()
    assert "best_share_by_period" not in run.metrics
    assert (run.all_metrics, run.best_quality) == (before, best)
