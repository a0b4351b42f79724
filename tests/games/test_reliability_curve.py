"""The curve of reliability against the rate peaks at the litmus rate and the reliability that the run has stored."""

import pytest

from environments.patience.cells import horizons
from environments.patience.economics import LITMUS_RATES
from games.patience.reliability_figure import NO_CURVE, RateCurve, reliability_figure
from infrastructure.figures.colours import agent_styles
from tests.figures import check_figure, traces

STYLE = agent_styles([(1, False)])[1]


@pytest.fixture
def patient_run(baseline_run):
    """A run of the baseline that follows a rate of 5 %, with its metrics."""
    game = baseline_run("patience_vs_impatience", "STANDARD", "patience-rate")
    return game, type(game).metrics(game.instance, game.outcomes)


def test_the_marker_is_at_the_stored_rate_and_reliability(patient_run):
    game, metrics = patient_run
    curve = RateCurve.of("A<b>", horizons(game.instance.parameters), metrics["by_horizon"], STYLE, "/runs/1/")
    assert (curve.best.rate, curve.best.reliability) == (metrics["litmus_rate"], metrics["reliability"])
    assert curve.reliability.shape == LITMUS_RATES.shape
    assert curve.reliability.max() == pytest.approx(metrics["reliability"])
    figure = reliability_figure([curve])
    check_figure(figure)
    (dot,) = traces(figure, "A‹b›")
    assert dot["x"] == [pytest.approx(100 * metrics["litmus_rate"])] and dot["customdata"] == ["/runs/1/"]
    (line,) = [trace for trace in figure["data"] if trace["mode"] == "lines"]
    assert len(line["x"]) == 201 and (line["x"][0], line["x"][-1]) == (0.0, 20.0)


def test_runs_with_too_few_answers_have_no_curve(patient_run):
    game, metrics = patient_run
    one = {label: {"curve": row["curve"][:1]} for label, row in metrics["by_horizon"].items()}
    assert RateCurve.of("A", horizons(game.instance.parameters), one, STYLE, "") is None
    assert reliability_figure([])["layout"]["meta"]["description"] == NO_CURVE
