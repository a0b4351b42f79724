"""The interest rate that explains choices best, and its reliability: exact integrals, ties and bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.patience.economics import (
    LITMUS_RATES,
    RATES,
    Curve,
    best_rate,
    indifference_amount,
    litmus,
    point_reliability,
    reliability,
)
from environments.patience.instance import HORIZONS
from tests.yardstick import within

TESTED = {label: (years, np.array(amounts, dtype=float)) for _, label, years, amounts in HORIZONS}
every_horizon = pytest.mark.parametrize("label", list(TESTED))


def curve(label, later):
    years, amounts = TESTED[label]
    return Curve(years, amounts, np.broadcast_to(np.asarray(later, dtype=float), amounts.shape).copy())


def consistent(rate):
    return [curve(label, x > indifference_amount(rate, years)) for label, (years, x) in TESTED.items()]


@every_horizon
def test_random_choices_have_a_reliability_of_a_half_at_every_rate(label):
    assert reliability(curve(label, 0.5), RATES) == pytest.approx(0.5, abs=1e-12)
    best = best_rate(curve(label, 0.5))
    assert best.reliability == pytest.approx(0.5, abs=1e-12)
    assert not best.identified and best.bound == ""


@pytest.mark.parametrize(
    ("later", "bounds"),
    [
        (1.0, ["below 1.2 %", "below 1.0 %", "below 1.0 %", "below 2.1 %"]),
        (0.0, ["above 58.5 %", "above 28.0 %", "above 18.2 %", "above 18.3 %"]),
    ],
    ids=["always", "never"],
)
def test_always_or_never_waiting_is_perfectly_reliable_and_gives_only_a_bound(later, bounds):
    best = [best_rate(curve(label, later)) for label in TESTED]
    assert all(one.reliability == 1.0 and not one.identified for one in best)
    assert [one.bound for one in best] == bounds


@every_horizon
@pytest.mark.parametrize("rate", [0.03, 0.08, 0.15])
def test_consistent_choices_lose_only_the_gap_between_two_amounts(label, rate):
    """The share rises over one gap h instead of at once: a step in it costs h/4 in its middle and h/2 at its ends."""
    years, x = TESTED[label]
    chosen = curve(label, x > indifference_amount(rate, years))
    gap, width = x[1] - x[0], x[-1] - x[0]
    step = indifference_amount(rate, years)
    into = float((step - x[x <= step][-1]) / gap)
    loss = gap / width * (into**2 + (1 - into) ** 2) / 2
    assert reliability(chosen, np.array([rate]))[0] == pytest.approx(1 - loss, abs=1e-9)
    finer = 1 - gap / width / 4
    assert finer - 0.002 < best_rate(chosen).reliability <= finer + 1e-12


def test_consistent_choices_approach_reliability_1_as_the_gaps_close():
    x = np.linspace(100.5, 120, 400_001)
    fine = Curve(1.0, x, (x > indifference_amount(0.06, 1.0)).astype(float))
    best = best_rate(fine)
    assert best.rate == pytest.approx(0.06) and best.reliability == pytest.approx(1, abs=2e-5)


@pytest.mark.parametrize("rate", [0.02, 0.05, 0.1, 0.18])
def test_the_measured_rate_of_a_consistent_agent_is_close_to_its_rate(rate):
    """Not to a tenth of a point and not at 1: steps are seen only to a gap, a dollar at 1 year being nearly a point."""
    best = litmus(consistent(rate))
    assert best.rate == pytest.approx(rate, abs=0.0021)
    assert 0.97 < best.reliability < 1 and best.identified


def test_tied_rates_give_their_median_and_the_end_of_the_grid_gives_a_bound():
    half = litmus([curve("1 year", 0.5)])
    assert half.rate == pytest.approx(0.1) and not half.identified
    patient = litmus([curve(label, 1.0) for label in TESTED])
    assert patient.rate == pytest.approx(0.0045) and patient.bound == "at most 0.9 %"
    hasty = litmus([curve(label, 0.0) for label in TESTED])
    assert hasty.rate == LITMUS_RATES[-1] and hasty.bound == "at least 20.0 %" and not hasty.identified


def test_earlier_scoring_weighs_points_equally_and_skips_the_point_at_the_step():
    points = Curve(1.0, np.array([101.0, 102.0, 104.0]), np.array([0.25, 0.5, 1.0]))
    at_102, at_103 = point_reliability(points, np.array([0.02, 0.03]))
    assert at_102 == pytest.approx((0.75 + 1) / 2) and at_103 == pytest.approx((0.75 + 0.5 + 1) / 3)


def test_measuring_takes_a_few_milliseconds():
    curves = consistent(0.07)
    within(600_000, lambda: (litmus(curves), [best_rate(one) for one in curves]))


@st.composite
def any_curves(draw):
    gaps = draw(st.lists(st.floats(0.05, 20), min_size=1, max_size=12))
    amounts = draw(st.floats(90, 130)) + np.concatenate([[0], np.cumsum(gaps)])
    later = draw(st.lists(st.floats(0, 1), min_size=len(amounts), max_size=len(amounts)))
    return Curve(draw(st.sampled_from([1 / 12, 0.5, 1.0, 5.0])), amounts, np.array(later))


@pytest.mark.long
@settings(max_examples=60)
@given(one=any_curves(), rate=st.floats(0, 2))
def test_the_integral_agrees_with_a_fine_grid(one, rate):
    edges = np.linspace(one.amounts[0], one.amounts[-1], 40_001)
    middles = (edges[:-1] + edges[1:]) / 2
    share = np.interp(middles, one.amounts, one.later)
    numerical = 1 - np.abs(share - (middles > indifference_amount(rate, one.years))).mean()
    exact = reliability(one, np.array([rate]))[0]
    assert exact == pytest.approx(numerical, abs=1e-4) and -1e-12 <= exact <= 1 + 1e-12


@pytest.mark.long
@settings(max_examples=60)
@given(one=any_curves())
def test_the_best_rate_is_optimal_and_opposite_choices_mirror_the_reliability(one):
    measured = reliability(one, RATES)
    assert best_rate(one).reliability == measured.max()
    opposite = Curve(one.years, one.amounts, 1 - one.later)
    assert reliability(opposite, RATES) == pytest.approx(1 - measured, abs=1e-9)


@pytest.mark.long
def test_the_measured_rate_of_a_strict_threshold_is_within_a_quarter_of_a_point():
    """Between two tested amounts every threshold gives the same choices. Below 2 and above 18 % it is up to 0.55 points."""

    def off(rate):
        return 100 * abs(litmus(consistent(rate)).rate - rate)

    usual = [off(rate) for rate in np.arange(0.02, 0.18, 0.0005)]
    others = [off(rate) for rate in (*np.arange(0.0005, 0.02, 0.0005), *np.arange(0.1805, 0.2, 0.0005))]
    assert 0.2 < max(usual) <= 0.2501 and 0.4 < max(others) <= 0.55
