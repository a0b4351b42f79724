"""The charts of an experiment page: their sums, and when they are sent again."""

from datetime import timedelta

import pytest
from django.utils import timezone

from analysis.experiments import selectors
from analysis.experiments.selectors import comparison_address, forecast_of, moments, scores_table
from analysis.figures.over_time import NOTHING, Forecast, Moment, progress_figure
from runs.models import Exchange, Period
from tests.figures import check_figure, traces


def test_dollars_have_a_panel_only_if_some_are_booked_or_expected():
    played = [Moment(60, 10, 0.0), Moment(3600 * 3, 30, 0.0)]
    without = progress_figure(played, 40, Forecast(7200, 0.0, 0.0, 0.0))
    with_cost = progress_figure(played[:1] + [Moment(3600 * 3, 30, 1.5)], 40, Forecast(7200, 2.0, 1.0, 4.0))
    for figure in (without, with_cost):
        check_figure(figure)
    assert "yaxis2" not in without["layout"] and "yaxis2" in with_cost["layout"]
    assert traces(without, "played")[0]["x"][-1] == pytest.approx(3), "hours"
    assert traces(with_cost, "forecast at launch")[1]["y"] == [0, 2.0]
    assert "$1.50 booked, $2.00 expected at launch" in with_cost["layout"]["meta"]["description"]


def test_a_far_forecast_is_cut_off_and_named_and_does_not_flatten_what_was_played():
    played = [Moment(60, 10, 1.0), Moment(600, 40, 4.0)]
    figure = progress_figure(played, 4_000, Forecast(100, 400.0, 300.0, 900.0))
    check_figure(figure)
    top = figure["layout"]["yaxis2"]["range"][1]
    assert 4.0 <= top < 5.0 and figure["layout"]["yaxis"]["range"][1] < 50
    dashed = traces(figure, "forecast at launch")[1]
    assert dashed["x"] == [0, pytest.approx(100 / 60 * 4 / 400)] and dashed["y"] == [0, pytest.approx(4.0)]
    assert any("$400.00 forecast" in note["text"] for note in figure["layout"]["annotations"])
    near = progress_figure(played, 60, Forecast(600, 5.0, 4.0, 7.0))
    assert near["layout"]["yaxis2"]["range"][1] == pytest.approx(1.08 * 7), "a near forecast is drawn in full"


def test_a_progress_chart_without_periods_says_so():
    assert progress_figure([], 40, None)["layout"]["meta"]["description"] == NOTHING


@pytest.fixture
def timed(launch):
    """Two runs with periods and calls ten minutes apart."""
    experiment = launch("gpt-5", "random", seeds=(0,))
    begun = timezone.now() - timedelta(hours=1)
    for run in experiment.runs.all():
        Period.objects.bulk_create(
            Period(run=run, index=n, action={}, result={}, created_at=begun + timedelta(minutes=10 * n))
            for n in range(4)
        )
        Exchange.objects.bulk_create(
            Exchange(run=run, period_index=n, seat="seat_0", attempt=0, step=0, fence=1, cost_nano=10**9,
                     created_at=begun + timedelta(minutes=10 * n))
            for n in range(2)
        )  # fmt: skip
        run.started_at, run.progressed_at = begun, begun + timedelta(minutes=30)
        run.save()
    return experiment


def test_periods_and_dollars_are_summed_by_time_span(timed, django_assert_num_queries):
    with django_assert_num_queries(3):
        found = moments(timed)
    assert [(moment.periods, moment.dollars) for moment in found] == [(2, 2.0), (4, 4.0), (6, 4.0), (8, 4.0)]
    assert [round(moment.seconds / 60) for moment in found] == [0, 10, 20, 30]
    assert forecast_of(timed).dollars >= 0


def test_periods_of_a_large_experiment_are_spread_evenly_over_time(timed, monkeypatch, django_assert_num_queries):
    timed.runs.update(periods_played=40, cost_nano=2 * 10**9)
    monkeypatch.setattr(selectors, "MOST_SUMMED", 1)
    with django_assert_num_queries(2):
        found = moments(timed)
    assert (found[-1].seconds, found[-1].periods, found[-1].dollars) == (1800, 80, pytest.approx(4.0))
    half = next(moment for moment in found if moment.seconds >= 900)
    assert half.periods == pytest.approx(80 * half.seconds / 1800, abs=1)
    assert half.dollars == pytest.approx(4.0 * half.seconds / 1800, abs=0.01)


def test_an_unchanged_chart_is_not_sent_again(timed, page):
    address = f"/experiments/{timed.pk}/progress.json"
    etag = page.get(address)["ETag"]
    assert page.get(address, headers={"If-None-Match": etag}).status_code == 304
    timed.runs.update(periods_played=5)
    assert page.get(address, headers={"If-None-Match": etag}).status_code == 200


def test_the_comparison_has_the_agents_and_conditions_of_the_experiment(timed, page):
    assert comparison_address(timed)[0] == "analysis:compare"
    answer = page.get(f"/experiments/{timed.pk}/compare/")
    assert answer.url.startswith("/compare/?") and "agents=gpt-5&agents=random" in answer.url
    assert page.get(answer.url).status_code == 200


def test_an_experiment_shows_only_scores_of_its_own_runs(timed):
    timed.runs.update(state="finished", score=0.5)
    table = scores_table(timed.runs.all())
    assert [row.overall for row in table.rows] == [0.5, 0.5]
