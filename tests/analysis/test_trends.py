"""The regression of scores on release dates: the paper's nine slopes, known answers, a sentence for every odd case."""

from datetime import date, timedelta

import numpy as np
import pytest

from analysis.trends.filters import TrendFilter
from analysis.trends.selectors import paper_observations
from runs.models import Agent
from stats.regression import YEAR, ModelScores, Trend, trend

PRINTED = {
    "procurement": (34.18, 41.19, 41.02),
    "scheduling": (27.36, 49.32, 50.32),
    "pricing": (16.77, 18.16, 18.37),
}
"""Tables 6 to 8 of the paper: points a year on BASIC, MEDIUM and HARD."""
START = date(2024, 1, 1)


def seen(*triples):
    return [ModelScores(model, START + timedelta(days=days), np.array([score])) for model, days, score in triples]


def test_the_papers_means_alone_give_its_nine_slopes():
    found = {(c.environment, c.difficulty): trend(seen) for c, seen in paper_observations(TrendFilter()).items()}
    for environment, row in PRINTED.items():
        for difficulty, slope in zip(("BASIC", "MEDIUM", "HARD"), row, strict=True):
            assert found[environment, difficulty].slope == pytest.approx(slope, abs=0.05)


def test_a_line_is_found_again_and_errors_are_clustered_by_model():
    from statsmodels.regression.linear_model import OLS

    exact = trend(seen(("A", 0, 10.0), ("B", 365, 10 + 20 * 365 / YEAR), ("C", 730, 10 + 20 * 730 / YEAR)))
    assert exact.slope == pytest.approx(20) and exact.at(START) == pytest.approx(10)
    assert (exact.standard_error, exact.p, exact.n, exact.models) == (0.0, None, 3, 3)
    rng = np.random.default_rng(4)
    runs = [
        (f"M{model}", 100 * model, float(40 + 5 * model + rng.normal(0, 9))) for model in range(5) for _ in range(12)
    ]
    found = trend(seen(*runs))
    years = np.array([days / YEAR for _, days, _ in runs])
    groups = np.repeat(np.arange(5), 12)
    fit = OLS(np.array([score for *_, score in runs]), np.column_stack([np.ones(60), years])).fit()
    clustered = fit.get_robustcov_results("cluster", groups=groups, use_t=True)
    assert (found.slope, found.r_squared) == pytest.approx((fit.params[1], fit.rsquared))
    assert (found.standard_error, found.p) == pytest.approx((clustered.bse[1], clustered.pvalues[1]))
    # By hand: the sandwich estimator with its correction for few clusters.
    design = np.column_stack([np.ones(60), years])
    bread = np.linalg.inv(design.T @ design)
    sums = [design[groups == g].T @ fit.resid[groups == g] for g in range(5)]
    meat = sum(np.outer(total, total) for total in sums) * 5 / 4 * 59 / 58
    assert found.standard_error == pytest.approx(float(np.sqrt((bread @ meat @ bread)[1, 1])))


@pytest.mark.parametrize(
    ("observations", "words"),
    [
        (seen(), "at least 3 models; there are 0."),
        (seen(("A", 0, 1.0), ("A", 0, 2.0), ("B", 9, 3.0)), "there are 2."),
        (seen(("A", 5, 1.0), ("B", 5, 2.0), ("C", 5, 3.0)), "All models have the same release date."),
    ],
)
def test_where_there_is_no_line_a_sentence_says_why(observations, words):
    assert words in trend(observations)


def test_equal_scores_have_a_flat_line_without_a_share():
    found = trend(seen(("A", 0, 50.0), ("B", 200, 50.0), ("C", 500, 50.0)))
    assert isinstance(found, Trend) and found.slope == pytest.approx(0, abs=1e-9)
    assert (found.r_squared, found.p) == (None, None)


@pytest.mark.long
def test_the_page_shows_own_lines_beside_the_papers(page, run_row, django_assert_num_queries):
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
