"""The figure of the scores that baselines have on a design, by difficulty."""

import pytest

from analysis.figures.measured import NOTHING, measured_figure
from environments.declarations import POINTS
from tests.figures import check_figure


def test_measured_scores_have_a_panel_per_difficulty():
    titles, columns = {"random": "Random", "optimum": "Optimum"}, ("BASIC", "HARD", "CUSTOM+TWO")
    scores = {("random", "BASIC"): [(0, 0.5), (1, 0.7)], ("optimum", "CUSTOM+TWO"): [(3, 1.0)]}
    figure = measured_figure(columns, titles, scores, POINTS)
    check_figure(figure)
    heads = [note["text"] for note in figure["layout"]["annotations"]]
    assert heads == [f"{column}, score in points" for column in columns]
    bars = [trace["x"][0] for trace in figure["data"] if trace["marker"]["symbol"] == "line-ns"]
    assert bars == [pytest.approx(60), 100]
    words = [text for trace in figure["data"] for text in trace.get("hovertext", ())]
    assert words == [
        "Random on BASIC, seed 0: 50.0",
        "Random on BASIC, seed 1: 70.0",
        "Optimum on CUSTOM+TWO, seed 3: 100.0",
    ]
    assert measured_figure(columns, titles, {}, POINTS)["layout"]["annotations"][0]["text"] == NOTHING
