"""Runs under a shock: their instances and length, and what the engine, the commands and the figures make of them."""

import pytest

from environments.registry import generate
from games.registry import metrics_of, run_figure
from runs.launching.plan import LaunchError
from runs.models import Instance, Run


def test_a_launch_gives_a_shock_its_own_instance_and_all_other_variants_the_usual_one(launch):
    variants = ("main", "as_run", "shock_sensitivity", "shock_sensitivity+as_run")
    for _ in range(2):
        launch("random", variants=variants, periods=None)
    instances = {run.variant: run.instance for run in Run.objects.select_related("instance")}
    assert Instance.objects.count() == 2
    assert instances["main"] == instances["as_run"] != instances["shock_sensitivity"]
    shocked = instances["shock_sensitivity"]
    assert shocked == instances["shock_sensitivity+as_run"] and shocked.variant == "shock_sensitivity"
    problem = generate("pricing", "BASIC", 0, variant="shock_sensitivity")
    assert shocked.as_problem().content_hash == problem.content_hash
    assert instances["main"].as_problem().content_hash == generate("pricing", "BASIC", 0).content_hash


def test_a_run_too_short_to_see_its_shock_is_refused_in_a_sentence(launch):
    with pytest.raises(LaunchError) as error:
        launch("random", variants=("main", "shock_sensitivity"), periods=69)
    sentence = "A run of shock_sensitivity has at least 70 periods, since its world changes."
    assert error.value.errors == {"periods": sentence}


def test_the_engine_scores_a_shock_and_the_chart_marks_it(played, page):
    played("optimum", environments=("scheduling",), variants=("shock_preferences",), periods=None)
    run = Run.objects.select_related("instance").get()
    assert (run.score, run.solved, run.periods_played) == (1.0, True, 51)
    assert run.metrics["recovery"] == pytest.approx(1.0) and run.metrics["periods_to_next_stability"] == 1
    outcomes = [row.as_outcome() for row in run.period_rows.all()]
    figure = run_figure(run.instance.as_problem(), outcomes, 100)
    assert [shape["x0"] for shape in figure["layout"]["shapes"]] == [49.5]
    for address in (f"/runs/{run.pk}/", f"/instances/{run.instance_id}/", "/instances/"):
        assert "ours, not in the papers" in page.get(address).text


def test_recovery_is_a_metric_of_shocks_only():
    assert "recovery" not in {metric.key for metric in metrics_of("pricing", "main")}
    assert "recovery" in {metric.key for metric in metrics_of("pricing", "shock_sensitivity")}
