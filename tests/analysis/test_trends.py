"""The regression of scores on release dates: the paper's nine slopes, known answers, special cases."""

from datetime import date, timedelta

import numpy as np
import pytest
from scipy.stats import linregress

from analysis.answers.trends import TrendFilter
from analysis.base.table import BenchmarkColumn
from analysis.figures.trend import LOWEST, chart_heights, trend_figure
from analysis.trends.selectors import ColumnTrends, paper_observations
from infrastructure.figures.colours import agent_styles
from runs.models import Agent
from stats.lines.regression import YEAR, ModelScores, Trend, clustered_trend, trend
from tests.figures import check_figure

PRINTED = {
    "procurement": (34.18, 41.19, 41.02),
    "scheduling": (27.36, 49.32, 50.32),
    "pricing": (16.77, 18.16, 18.37),
}
"""Tables 6 to 8 of the paper: points a year on BASIC, MEDIUM and HARD."""
START = date(2024, 1, 1)


def seen(*triples):
    return [ModelScores(model, START + timedelta(days=days), np.array([score])) for model, days, score in triples]


ERRORS = {
    "procurement": (8.04, 6.94, 15.20),
    "scheduling": (11.76, 19.74, 15.76),
    "pricing": (2.09, 2.66, 3.57),
}
"""The errors that follow from the means of table 4. The paper prints 8.05 and 2.07 where these have 8.04 and 2.09."""


def test_the_published_means_give_the_nine_slopes_of_the_paper():
    lines = {
        (column.environment, column.difficulty): clustered_trend(means, 12)
        for column, means in paper_observations(TrendFilter()).items()
    }
    for environment, slopes in PRINTED.items():
        for difficulty, slope, error in zip(("BASIC", "MEDIUM", "HARD"), slopes, ERRORS[environment], strict=True):
            line = lines[environment, difficulty]
            assert (line.slope, line.standard_error) == (
                pytest.approx(slope, abs=0.05),
                pytest.approx(error, abs=0.005),
            )
            assert (line.n, line.models) == (96, 8)
    stars = {(environment, line.p < 0.01) for (environment, _), line in lines.items() if environment != "scheduling"}
    assert stars == {("procurement", True), ("pricing", True)}
    assert [0.01 < lines["scheduling", level].p < 0.05 for level in ("BASIC", "MEDIUM", "HARD")] == [True, True, False]


def test_a_line_through_the_means_of_models_uses_students_t():
    exact = trend(seen(("A", 0, 10.0), ("B", 365, 10 + 20 * 365 / YEAR), ("C", 730, 10 + 20 * 730 / YEAR)))
    assert exact.slope == pytest.approx(20) and exact.at(START) == pytest.approx(10)
    assert (exact.standard_error, exact.p, exact.n, exact.models) == (0.0, None, 3, 3)
    rng = np.random.default_rng(4)
    runs = [
        (f"M{model}", 100 * model, float(40 + 5 * model + rng.normal(0, 9)))
        for model in range(5)
        for _ in range(12 - model)
    ]
    line = trend(seen(*runs))
    means = [np.mean([score for name, _, score in runs if name == f"M{model}"]) for model in range(5)]
    theirs = linregress(np.arange(5) * 100 / YEAR, means)
    assert (line.slope, line.start, line.p) == pytest.approx((theirs.slope, theirs.intercept, theirs.pvalue))
    assert (line.standard_error, line.r_squared) == pytest.approx((theirs.stderr, theirs.rvalue**2))
    assert (line.n, line.models) == (50, 5)


def test_clustered_errors_equal_errors_of_means_for_equal_numbers_of_runs():
    from statsmodels.regression.linear_model import OLS

    rng = np.random.default_rng(4)
    years, groups = np.repeat(np.arange(5) * 100 / YEAR, 12), np.repeat(np.arange(5), 12)
    scores = 40 + 5 * groups + rng.normal(0, 9, 60)
    fit = OLS(scores, np.column_stack([np.ones(60), years])).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=False
    )
    means = [(f"M{model}", 100 * model, scores[groups == model].mean()) for model in range(5)]
    line = clustered_trend(seen(*means), 12)
    assert (line.slope, line.standard_error, line.p) == pytest.approx((fit.params[1], fit.bse[1], fit.pvalues[1]))


@pytest.mark.parametrize(
    ("observations", "words"),
    [
        (seen(), "at least 3 models; there are 0."),
        (seen(("A", 0, 1.0), ("A", 0, 2.0), ("B", 9, 3.0)), "there are 2."),
        (seen(("A", 5, 1.0), ("B", 5, 2.0), ("C", 5, 3.0)), "All models have the same release date."),
    ],
)
def test_a_missing_line_is_explained_with_a_sentence(observations, words):
    assert words in trend(observations)


def test_equal_scores_have_a_flat_line_without_a_share():
    found = trend(seen(("A", 0, 50.0), ("B", 200, 50.0), ("C", 500, 50.0)))
    assert isinstance(found, Trend) and found.slope == pytest.approx(0, abs=1e-9)
    assert (found.r_squared, found.p) == (None, None)


@pytest.mark.long
def test_the_page_shows_own_lines_and_lines_of_the_paper(page, run_row, django_assert_num_queries):
    for number, slug in enumerate(("a", "b", "c")):
        for seed in range(2):
            run = run_row(slug, 0.3 + 0.2 * number + 0.01 * seed, name=slug.upper(), seed=seed)
    assert "there are 0." not in page.get("/trends/").text
    for days, agent in enumerate(Agent.objects.filter(slug__in="abc")):
        agent.release_date, agent.model = START + timedelta(days=100 * days), agent.slug
        agent.save()
    address = "/trends/?environments=pricing&difficulties=BASIC"
    text = page.get(address).text
    assert "+16.8" in text and "+73." in text
    figure = page.get("/trends/figure.json?environments=pricing&difficulties=BASIC").json()
    assert f"/runs/{run.pk}/" in str(figure["data"])
    lines = page.get("/trends/observations.csv?environments=pricing&difficulties=BASIC").text.splitlines()
    assert lines[1].startswith("pricing,BASIC,own,A,2024-01-01,30.0,") and len(lines) == 1 + 6 + 8
    assert page.get("/trends/figure.json?rows=imported").json()["data"] == []
    Agent.objects.filter(slug__in="bc").update(model="same")
    assert "there are 2." in page.get(f"{address}&rows=own").text, "agents of one model are one model"
    with django_assert_num_queries(13):
        page.get("/trends/")


def columns_of(*scores):
    """One panel with an agent of these scores."""
    runs = ModelScores("m", START, np.array(scores), "House", 1, np.arange(len(scores)), np.arange(len(scores)))
    return [ColumnTrends(BenchmarkColumn("pricing", "HARD"), [runs], [], trend([runs]), "none")]


def test_an_outlier_is_a_counted_triangle_at_the_edge_and_not_the_scale():
    figure = trend_figure(columns_of(-3000.0, -45.0, 0.0, 80.0), agent_styles([(1, False)]), "/runs/{}/".format)
    check_figure(figure)
    assert figure["layout"]["yaxis"]["range"][0] == LOWEST - 4
    usual, low = [trace for trace in figure["data"] if trace.get("customdata")]
    assert usual["y"] == [0.0, 80.0] and low["y"] == [LOWEST, LOWEST] and low["marker"]["symbol"] == "triangle-down"
    assert "−3000.0" in low["hovertext"][0].replace("-", "−") and low["customdata"][0] == "/runs/0/"
    assert "2 ▼ below −20" in figure["layout"]["annotations"][0]["text"]
    fine = trend_figure(columns_of(10.0, 80.0), agent_styles([(1, False)]), str)
    assert "▼" not in str(fine["layout"]["annotations"]) and fine["layout"]["yaxis"]["range"][0] == -4


def test_the_legend_names_every_own_agent_once_and_the_page_keeps_its_room_free():
    panels = [panel for _ in range(9) for panel in columns_of(10.0, 80.0)]
    figure = trend_figure(panels, agent_styles([(1, False)]), str)
    named = [trace["name"] for trace in figure["data"] if trace.get("name") and trace.get("showlegend", True)]
    assert named == ["House"]
    meta = figure["layout"]["meta"]
    assert chart_heights(panels) == (meta["height"] + 8, meta["narrow"]["height"] + 8)


def test_a_cell_has_one_row_with_our_line_and_the_published_one(page):
    table = page.get("/trends/").text.split("<table")[1].split("</table>")[0]
    assert table.count('<th scope="row"') == 9 and "96 runs of 8 models" in table and "published</td>" not in table
