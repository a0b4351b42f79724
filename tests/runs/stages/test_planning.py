"""The number of instances that a comparison needs, from the observed spread."""

import math
from statistics import stdev

import pytest

from stats.designs.planning import instances_needed, spread_of
from stats.paired import effect_for

A, B, C = 1, 2, 3


@pytest.mark.parametrize("points", [2.0, 5.0, 8.0])
def test_the_planned_number_has_80_percent_power_and_a_smaller_number_has_less(points):
    needed = instances_needed([10.0], points)
    from statsmodels.stats.power import TTestPower

    power = TTestPower().power
    assert power(points / 10, needed, 0.05) >= 0.8 > power(points / 10, needed - 1, 0.05)


def test_the_detectable_effect_has_80_percent_power_for_every_number_of_instances():
    from statsmodels.stats.power import TTestPower

    numbers = [*range(2, 400), 5000]
    effects = list(map(effect_for, numbers))
    powers = [TTestPower().power(effect, number, 0.05) for effect, number in zip(effects, numbers, strict=True)]
    assert powers == pytest.approx([0.8] * len(numbers)) and effects == sorted(effects, reverse=True)


def test_a_plan_has_at_least_six_instances():
    assert instances_needed([1.0], 50) == 6


def test_cells_of_different_spread_count_by_their_mean_variance():
    assert instances_needed([3.0, 4.0], 2) == instances_needed([math.sqrt(12.5)], 2)


def test_a_plan_without_spread_or_difference_is_empty():
    assert instances_needed([], 5) is None
    assert instances_needed([0.0], 5) is None
    assert instances_needed([10.0], 0.001) is None


def test_three_matched_instances_of_the_two_agents_take_precedence():
    second = {0: 51.0, 1: 55.0, 2: 48.0, 9: 99.0}
    found = spread_of({A: dict.fromkeys(range(3), 50.0), B: second, C: {0: 0.0, 1: 90.0}}, A, B)
    assert found.points == pytest.approx(stdev([1.0, 5.0, -2.0])) and found.freedom == 2
    assert "these two agents on 3 instances" in found.basis
    # Of normal differences: 2 x variance / the quantiles of chi square with 2 degrees of freedom, -2 ln(tail).
    ends = [found.points * math.sqrt(2 / (-2 * math.log(tail))) for tail in (0.025, 0.975)]
    assert found.interval == pytest.approx(tuple(ends))


def test_all_pairs_of_agents_are_pooled_if_the_two_agents_have_few_matches():
    scores = {A: {0: 10.0, 1: 20.0, 2: 30.0}, C: {0: 11.0, 1: 24.0, 2: 28.0}, 4: {0: 10.0, 1: 22.0}}
    found = spread_of(scores, A, B)
    # Differences C - A: 1, 4, -2 (variance 9, 2 df); 4 - A: 0, 2 (2, 1 df); 4 - C: -1, -2 (0.5, 1 df).
    assert found.points == pytest.approx(math.sqrt((9 * 2 + 2 + 0.5) / 4))
    assert "3 pairs of agents" in found.basis


def test_independent_scores_are_used_if_no_pair_of_agents_matches():
    scores = {A: {0: 10.0, 1: 20.0, 2: 30.0}, C: {7: 10.0, 8: 20.0, 9: 30.0}}
    found = spread_of(scores, A, B)
    assert found.points == pytest.approx(10 * math.sqrt(2)) and "no two agents" in found.basis
    assert spread_of({A: {0: 10.0}}, A, B) is None and spread_of({}, A, B) is None
