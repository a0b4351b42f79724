"""Statistics of the name-variation experiment against hand-computed figures and SciPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.litmus.names import group_tests, two_way, welch
from environments.patience.names import NAMES


def test_the_two_way_analysis_agrees_with_one_done_by_hand():
    """Means of rows 4, 8; of columns 4, 6, 8; grand mean 6: SS 24, 16, rest 4, total 44."""
    table = two_way(np.array([[3.0, 3.0, 6.0], [5.0, 9.0, 10.0]]))
    assert (table.model.df, table.name.df, table.residual_df, table.names) == (1, 2, 2, 3)
    assert table.model.share == pytest.approx(24 / 44)
    assert table.name.share == pytest.approx(16 / 44)
    assert table.residual_share == pytest.approx(4 / 44)
    assert table.model.f == pytest.approx(24 / (4 / 2)) and table.name.f == pytest.approx(8 / (4 / 2))
    # With (1, 2) and (2, 2) degrees of freedom the F distribution has a closed form.
    assert table.model.p == pytest.approx(1 - math.sqrt(12 / 14)) and table.name.p == pytest.approx(1 / (1 + 4))


def test_the_analysis_agrees_with_least_squares_on_dummies():
    scores = np.random.default_rng(0).normal(size=(6, 36)) + np.arange(6)[:, None]
    model, name = np.indices(scores.shape)

    def rest(*factors):
        design = np.column_stack([np.ones(scores.size)] + [np.eye(f.max() + 1)[f.ravel()] for f in factors])
        fitted = design @ np.linalg.lstsq(design, scores.ravel(), rcond=None)[0]
        return ((scores.ravel() - fitted) ** 2).sum()

    both, total = rest(model, name), rest()
    table = two_way(scores)
    assert table.model.share == pytest.approx((rest(name) - both) / total)
    assert table.name.f == pytest.approx((rest(model) - both) / 35 / (both / 175))
    assert table.residual_share == pytest.approx(both / total)


def test_names_without_a_score_of_every_model_are_left_out():
    scores = np.array([[1.0, 2.0, np.nan, 4.0], [2.0, 2.5, 3.0, 4.5]])
    table = two_way(scores)
    assert table.names == 3 and table.model.f == pytest.approx(two_way(scores[:, [0, 1, 3]]).model.f)
    with pytest.raises(ValueError, match="two models and two names"):
        two_way(scores[:1])


def test_scores_that_do_not_vary_or_vary_by_one_factor_alone_are_no_division_by_zero():
    assert two_way(np.full((3, 5), 0.1)).name.share is None
    rows = two_way(np.array([[0.1] * 4, [0.3] * 4]))
    assert rows.model.share == pytest.approx(1) and rows.model.f == math.inf and rows.model.p == 0.0
    assert rows.name.f is None and rows.name.p is None
    assert welch([0.1, 0.1], [0.1, 0.1, 0.1]).p is None


groups = st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=2, max_size=20)


@settings(max_examples=60, deadline=None)
@given(first=groups, second=groups)
def test_the_group_test_is_scipys_welch_test(first, second):
    ours = welch(first, second)
    assert ours.difference == pytest.approx(np.mean(first) - np.mean(second), abs=1e-12)
    # SciPy warns of a group that does not vary.
    if min(len(set(first)), len(set(second))) > 1:
        theirs = stats.ttest_ind(first, second, equal_var=False)
        assert ours.t == pytest.approx(theirs.statistic) and ours.p == pytest.approx(theirs.pvalue, abs=1e-12)
        assert ours.df == pytest.approx(theirs.df)


def test_names_are_compared_by_gender_and_by_race():
    scores = {name.text: (0.13 if name.gender == "female" else 0.12) + 0.001 * (i % 3) for i, name in enumerate(NAMES)}
    tests = group_tests(scores)
    assert tests["gender"].difference == pytest.approx(0.01) and tests["gender"].p < 1e-6
    assert tests["race"].difference == pytest.approx(0) and tests["race"].p > 0.9
    few = group_tests({"Emily": 0.1, "Anne": 0.2, "Todd": 0.1, "Neil": None})
    assert few == {"gender": None, "race": None}
