"""The group-sequential sign-flip test has an exact error of at most 5 % for any differences."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.designs.sequential import can_stop, conditional_power, look, rejected_flips, sensible_sizes, spent
from stats.means import LEVEL, sign_flip_p

DESIGNS = [(4, 8, 12), (8, 10, 12), (6, 12), (3, 6, 9, 12), (1, 2, 3, 12), (2, 4, 6, 8, 10, 12), (11, 12), (5, 6)]
SIZES = st.one_of(
    st.lists(st.floats(0.01, 100), min_size=12, max_size=12),
    st.lists(st.integers(0, 3).map(float), min_size=12, max_size=12),
    st.builds(lambda one: [*[1.0] * 11, one], st.floats(0.1, 1e6)),
)


@pytest.mark.long
@given(sizes=SIZES, design=st.sampled_from(DESIGNS))
def test_the_full_procedure_errs_in_at_most_5_percent_of_all_flips(sizes, design):
    d = [size for size in sizes if size][: design[-1]]
    counts = [min(size, len(d)) for size in design]
    assert rejected_flips(d, counts, spent(design)).mean() <= LEVEL


@pytest.mark.long
@settings(max_examples=5)
@given(st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, 2.5, 7.0]), min_size=9, max_size=9))
def test_playing_each_flip_stage_by_stage_gives_the_same_error(sizes):
    design = (5, 7, 9)
    levels = spent(design)

    def stops(d):
        return any(look(d[:n], design[:stage], levels[:stage]).is_decided for stage, n in enumerate(design, 1))

    found = [stops(np.array(sizes) * signs) for signs in product((1, -1), repeat=9)]
    assert np.mean(found) <= LEVEL
    assert np.mean(found) == pytest.approx(
        rejected_flips([size for size in sizes if size], [np.count_nonzero(sizes[:n]) for n in design], levels).mean()
    )


def test_random_flips_of_long_comparisons_keep_the_error():
    d = np.random.default_rng(1).standard_t(2, 40)
    assert 0.045 < rejected_flips(d, (10, 20, 30, 40), spent((10, 20, 30, 40))).mean() <= LEVEL


def test_spending_is_of_o_brien_fleming_type_and_ends_at_the_full_level():
    # Lan and DeMets 1983: z = 1.96, so 2 - 2 Phi(1.96 / sqrt(1/3)) and 2 - 2 Phi(1.96 / sqrt(2/3)).
    assert spent((4, 8, 12)) == pytest.approx([0.000687, 0.016375, 0.05], abs=1e-6)
    assert spent((7,)) == [0.05]


def test_p_is_the_sign_flip_p_and_four_instances_never_stop():
    d = [4.0, 7.0, 5.0, 9.0, 3.0, 8.0, 6.0, 2.0]
    first, second = look(d[:4], [4], spent((4, 8, 12))[:1]), look(d, [4, 8], spent((4, 8, 12))[:2])
    assert (first.p, first.boundary, first.is_decided) == (0.125, 0.0, False)
    assert second.p == sign_flip_p(d) == 2 / 256
    assert (second.difference, second.is_decided, second.exact) == (5.5, True, True)
    assert second.p <= second.boundary <= spent((4, 8, 12))[1]
    assert not can_stop(4, 0.05) and can_stop(6, 0.05)


@pytest.mark.parametrize(
    ("d", "p", "power"),
    [
        ([], None, None),
        ([0.0] * 8, 1.0, None),
        ([3.0] * 5, 0.0625, None),
        ([1.0], 1.0, None),
        ([0.0, 0.0, 5.0], 1.0, None),
    ],
)
def test_special_cases_continue_without_a_verdict(d, p, power):
    found = look(d, [len(d)], [0.01], planned=5, total=12)
    assert (found.p, found.conditional_power) == (p, power)
    assert not found.is_decided and not found.is_futile


def test_a_comparison_is_futile_if_the_planned_difference_is_out_of_reach():
    d = [9.0, -11.0, 8.0, -7.0, 10.0, -9.0, 1.0, -1.0]
    found = look(d, [8], [0.016], planned=5, total=12)
    # By hand: sum 0, SD 8.44; 4 x 5 = 20 expected of the last four, 1.96 x 8.44 x sqrt(12) = 57.3 needed, error 16.9.
    assert found.conditional_power == pytest.approx(0.0136, abs=0.001) and found.is_futile
    assert not look(d, [8], [0.016], planned=30, total=12).is_futile
    assert not look(d, [8], [0.016]).is_futile
    assert conditional_power(d, 8, 5) is None


def test_suggested_stages_can_all_stop_the_comparison():
    assert sensible_sizes(12) == [8, 10, 12] and sensible_sizes(20) == [10, 15, 20]
    assert sensible_sizes(3, cells=9) == [2, 3] and sensible_sizes(5) == []
    for seeds in range(2, 60):
        sizes = sensible_sizes(seeds)
        assert all(can_stop(n, level) for n, level in zip(sizes, spent(sizes) if sizes else [], strict=True))
