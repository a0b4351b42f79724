"""The test of a replay against its baseline: exact for any scores, and never significant with too few instances."""

from itertools import product

import numpy as np
import pytest

from stats.designs.replays import EXACT_CHOICES, fewest_instances, level_of_look, replayed, smallest_p
from stats.means import sign_flip_p


def by_hand(earlier, new):
    """p by trying every choice of the new values one after the other."""
    rows = [[*values, last] for values, last in zip(earlier, new, strict=True)]

    def mean(chosen):
        return sum(row[i] - (sum(row) - row[i]) / (len(row) - 1) for row, i in zip(rows, chosen, strict=True))

    observed = abs(mean([len(row) - 1 for row in rows]))
    every = [abs(mean(chosen)) >= observed - 1e-9 for chosen in product(*(range(len(row)) for row in rows))]
    return sum(every) / len(every)


def test_the_test_equals_the_sign_flip_test_with_a_single_earlier_replay():
    rng = np.random.default_rng(1)
    earlier, new = rng.normal(0, 1, (2, 9))
    assert replayed([[value] for value in earlier], new, 12).p == pytest.approx(sign_flip_p(new - earlier))


def test_p_is_the_share_of_choices_as_extreme_also_with_missing_replays():
    rng = np.random.default_rng(2)
    earlier = [list(rng.beta(8, 1, 2)) for _ in range(5)] + [[0.9]]
    new = list(rng.beta(8, 1, 6))
    assert replayed(earlier, new, 12).p == pytest.approx(by_hand(earlier, new))


def test_at_most_the_level_of_all_choices_is_significant_for_skewed_scores():
    rows = [
        [90.0, 20.0, 91.0],
        [88.0, 92.0, 21.0],
        [19.0, 95.0, 90.0],
        [93.0, 90.0, 18.0],
        [91.0, 22.0, 94.0],
        [92, 90, 3],
    ]
    told = [
        replayed([row[:i] + row[i + 1 :] for row, i in zip(rows, chosen, strict=True)],
                 [row[i] for row, i in zip(rows, chosen, strict=True)], 12).is_changed
        for chosen in product(range(3), repeat=6)
    ]  # fmt: skip
    assert 0 < sum(told) / len(told) <= level_of_look(12)


def test_a_sample_of_choices_includes_the_observed_choice():
    earlier, new = [[0.0, 0.1]] * 15, [5.0] * 15
    assert EXACT_CHOICES < 3**15
    assert replayed(earlier, new, 12).p == pytest.approx(1e-4, abs=2e-4) and replayed(earlier, new, 53).is_changed


@pytest.mark.parametrize(("looks", "fewest"), [(12, 6), (53, 7)])
def test_the_minimum_number_of_instances_can_show_a_change_and_fewer_cannot(looks, fewest):
    assert fewest_instances(looks) == fewest
    changed = [replayed([[50.0, 50.0]] * n, [40.0] * n, looks) for n in (fewest - 1, fewest)]
    assert [result.can_tell for result in changed] == [False, True] and changed[1].is_changed
    assert changed[1].difference == -10 and smallest_p([3] * fewest) <= level_of_look(looks)


def test_equal_and_missing_replays_show_no_change():
    assert replayed([[0.5, 0.5]] * 8, [0.5] * 8, 12).p == 1
    nothing = replayed([[], []], [0.5, 0.6], 12)
    assert (nothing.n, nothing.difference, nothing.is_changed, nothing.can_tell) == (0, None, False, False)
