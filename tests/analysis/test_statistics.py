"""Means and their errors."""

import math

import pytest

from analysis.statistics import Scores, mean, standard_error, summary


def test_the_mean_of_nothing_is_not_known():
    assert mean([]) is None
    assert summary(Scores((), of=3, solved=0)).mean is None


def test_the_standard_error_is_the_sample_deviation_over_the_root_of_n():
    assert standard_error([0.2, 0.4, 0.9]) == pytest.approx(math.sqrt(0.13) / math.sqrt(3))


def test_one_value_has_no_standard_error():
    assert standard_error([0.7]) is None


def test_a_summary_says_how_many_of_how_many():
    found = summary(Scores((0.5, 1.0), of=3, solved=1))
    assert (found.mean, found.n, found.of, found.solved, found.complete) == (0.75, 2, 3, 1, False)
