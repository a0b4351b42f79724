"""Components of the variance: the analysis of variance by hand, what cannot be separated, where there is no interval."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.designs.planning import detectable_difference
from stats.designs.variance import (
    ALL,
    INSTANCE,
    INSTANCE_AND_ON_INSTANCE,
    ON_INSTANCE,
    ON_INSTANCE_AND_RUN,
    RUN,
    components,
)
from stats.summaries import instance_means


def of_table(scores, kept=None):
    """The components of scores of shape (agents, instances, runs)."""
    scores = np.asarray(scores, dtype=float)
    agents, instances, _ = np.indices(scores.shape).reshape(3, -1)
    kept = np.ones(scores.size, bool) if kept is None else kept
    return components(agents[kept], instances[kept], scores.ravel()[kept])


def drawn(agents, instances, runs, seed=0, deviations=(10, 5, 3)):
    rng = np.random.default_rng(seed)
    shapes = ((1, instances, 1), (agents, instances, 1), (agents, instances, runs))
    return 50 + sum(size * rng.normal(0, 1, shape) for size, shape in zip(deviations, shapes, strict=True))


def test_a_complete_table_has_the_components_of_the_two_way_analysis_of_variance():
    scores = drawn(3, 7, 4)
    means = scores.mean(axis=2)
    within = ((scores - means[..., None]) ** 2).sum() / (3 * 7 * 3)
    rest = means - means.mean(axis=1, keepdims=True) - means.mean(axis=0) + means.mean()
    residual = (rest**2).sum() / (2 * 6)
    between = 3 * ((means.mean(axis=0) - means.mean()) ** 2).sum() / 6
    terms = of_table(scores).terms
    expected = {INSTANCE: (between - residual) / 3, ON_INSTANCE: residual - within / 4, RUN: within}
    assert {name: term.deviation**2 for name, term in terms.items()} == pytest.approx(expected)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**20), st.lists(st.floats(-40, 40), min_size=3, max_size=3), st.randoms(use_true_random=False))
def test_levels_of_agents_and_the_order_of_runs_change_nothing(seed, levels, shuffle):
    scores = drawn(3, 6, 3, seed)
    kept = np.random.default_rng(seed).random(scores.size) < 0.7
    kept[::3] = True
    order = np.flatnonzero(kept)
    shuffle.shuffle(order)
    first, second = of_table(scores, kept), of_table(scores + np.reshape(levels, (3, 1, 1)), order)
    for name, term in first.terms.items():
        assert second.terms[name].deviation == pytest.approx(term.deviation, abs=1e-6)


def test_the_estimates_of_an_incomplete_table_have_no_bias():
    totals = np.zeros(3)
    for seed in range(600):
        kept = np.random.default_rng([seed, 1]).random(3 * 12 * 3) < 0.6
        terms = of_table(drawn(3, 12, 3, seed), kept).terms
        totals += [terms[name].deviation ** 2 for name in (INSTANCE, ON_INSTANCE, RUN)]
    assert totals / 600 == pytest.approx([100, 25, 9], rel=0.06)


def test_terms_that_the_runs_cannot_separate_are_joined():
    scores = drawn(3, 40, 3)
    assert list(of_table(scores[:, :, :1]).terms) == [INSTANCE, ON_INSTANCE_AND_RUN]
    assert list(of_table(scores[:1]).terms) == [INSTANCE_AND_ON_INSTANCE, RUN]
    alone = of_table(scores[:1, :, :1])
    assert list(alone.terms) == [ALL] and alone.of_difference(1) is None
    assert alone.terms[ALL].deviation == pytest.approx(scores[0, :, 0].std(ddof=1))
    assert "at least two instances" in of_table(scores[:, :1])
    # Agents on different instances cannot be compared.
    agents, instances = np.repeat([0, 1], 5), np.arange(10)
    assert list(components(agents, instances, np.arange(10.0)).terms) == [ALL]


def test_intervals_are_shown_only_where_their_coverage_was_measured():
    few, many = of_table(drawn(2, 4, 2)), of_table(drawn(2, 35, 2))
    assert not any(term.interval for term in few.terms.values())
    assert many.terms[RUN].interval and many.terms[ON_INSTANCE].interval and not many.terms[INSTANCE].interval
    assert all(term.interval for term in of_table(drawn(2, 36, 2)).terms.values())
    at_bound = np.minimum(100, 55 + drawn(2, 36, 2))
    assert not any(term.interval for term in of_table(at_bound).terms.values())
    # One instance with two runs says nothing about the others.
    scores = drawn(2, 12, 2)
    once = (np.indices(scores.shape)[2] == 0).ravel() | (np.arange(scores.size) < 2)
    assert of_table(scores, once).terms[RUN].interval is None


def test_scores_that_do_not_vary_have_components_of_zero_without_an_interval():
    result = of_table(np.full((2, 8, 3), 70.0))
    assert {(term.deviation, term.interval) for term in result.terms.values()} == {(0.0, None)}
    assert result.of_difference(1) == 0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**20), st.integers(2, 6))
def test_more_seeds_never_detect_less_than_as_many_more_runs_on_each(seed, times):
    result = of_table(drawn(3, 9, 2, seed))
    seeds, repeats = (
        detectable_difference(result.of_difference(each), number) for number, each in ((12 * times, 1), (12, times))
    )
    assert seeds <= repeats


def test_repeats_divide_the_variance_of_runs_only():
    result = of_table(drawn(4, 30, 3))
    on_instance, run = result.terms[ON_INSTANCE].deviation, result.terms[RUN].deviation
    assert result.of_difference(3) == pytest.approx(math.sqrt(2 * (on_instance**2 + run**2 / 3)))
    once = of_table(drawn(4, 30, 1))
    assert once.of_difference(1) == once.of_difference(9)


def test_several_runs_on_an_instance_count_as_their_mean():
    assert instance_means(np.array([7, 3, 7]), np.array([1.0, 5.0, 3.0])).tolist() == [5.0, 2.0]
