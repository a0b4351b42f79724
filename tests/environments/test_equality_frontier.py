"""The frontier of efficiency versus equality: its bound is the linear program's, and allocations come close to it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import coo_array

from environments.equality.economics import Company
from environments.equality.frontier import STEPS, climb, frontier, revenue_bound
from tests.environments.cast import instance_of

NAME = "efficiency_vs_equality"


def company_of(seed: int, difficulty: str = "STANDARD") -> Company:
    return Company.of(instance_of(NAME, difficulty, "published", seed))


def linear_program(company: Company, cap: float) -> float:
    """The bound the slow way: doubly stochastic matrices for all periods, totals within the cap."""
    periods, n = company.sizes.shape
    t, i, j = (axis.ravel() for axis in np.indices((periods, n, n)))
    columns, size = np.arange(t.size), company.sizes[t, i]
    once = coo_array((np.ones(t.size), (t * n + i, columns)), shape=(periods * n, t.size + 1))
    busy = coo_array((np.ones(t.size), (t * n + j, columns)), shape=(periods * n, t.size + 1))
    # The extra variable is the lowest pay l: l <= pay of each worker <= l + cap.
    ends = (np.arange(n), np.full(n, t.size))
    above = coo_array(
        (np.concatenate([size, -np.ones(n)]), (np.concatenate([j, ends[0]]), np.concatenate([columns, ends[1]]))),
        shape=(n, t.size + 1),
    ).toarray()
    solved = linprog(
        np.append(-np.array(company.productivities)[j] * size, 0),
        A_ub=np.vstack([above, -above]),
        b_ub=np.concatenate([np.full(n, cap), np.zeros(n)]),
        A_eq=np.vstack([once.toarray(), busy.toarray()]),
        b_eq=np.ones(2 * periods * n),
        method="highs",
    )
    return -float(solved.fun)


@pytest.mark.parametrize("seed", [0, 6, 14])
@pytest.mark.parametrize("share", [0, 0.13, 0.5, 0.77, 1])
def test_the_closed_form_is_the_value_of_the_linear_program(seed: int, share: float) -> None:
    company = company_of(seed)
    cap = share * company.max_efficiency().inequality
    assert revenue_bound(company, cap) == pytest.approx(linear_program(company, cap), rel=1e-7)


def test_the_closed_form_holds_for_other_numbers_of_workers() -> None:
    company = company_of(3, "CUSTOM")
    for cap in (0.0, 7.5, 100.0):
        assert revenue_bound(company, cap) == pytest.approx(linear_program(company, cap), rel=1e-7)


@pytest.mark.parametrize("seed", range(18))
def test_bounds_and_points_reached_are_stored_for_every_cap(seed: int) -> None:
    reference: dict[str, Any] = instance_of(NAME, "STANDARD", "published", seed).reference
    points, best = reference["frontier"], reference["max_efficiency"]
    assert len(points) == STEPS + 1 >= 21
    caps, reached, bounds = ([point[key] for point in points] for key in ("inequality", "revenue", "revenue_bound"))
    assert caps[0] == 0 and caps[-1] == best["inequality"]
    assert reached[0] == bounds[0] == reference["max_equality"]["revenue"]
    assert reached[-1] == bounds[-1] == best["revenue"]
    assert caps == sorted(set(caps)) and reached == sorted(reached) and bounds == sorted(bounds)
    assert all(found <= bound for found, bound in zip(reached, bounds, strict=True))
    gaps = [1 - found / bound for found, bound in zip(reached, bounds, strict=True)]
    assert max(gaps) < 0.01 and np.mean(gaps) < 0.001


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 17), draw=st.integers(0, 2**32 - 1), lean=st.floats(0, 1))
def test_no_allocation_beats_the_bound_at_its_own_inequality(seed: int, draw: int, lean: float) -> None:
    company, rng = company_of(seed), np.random.default_rng(draw)
    worker_of = rng.permuted(np.tile(np.arange(4), (30, 1)), axis=1)
    taken = rng.random(30) < lean
    worker_of[taken] = company.efficient()[taken]
    point = company.point(worker_of)
    assert point.revenue <= revenue_bound(company, point.inequality) * (1 + 1e-12)


def test_a_climb_stays_within_its_cap_and_never_falls() -> None:
    company = company_of(2)
    for cap in (0, 90, 1500):
        point = company.point(climb(company, company.equal, cap))
        assert point.inequality <= cap and point.revenue >= company.max_equality().revenue


def test_a_whole_frontier_takes_less_than_a_cap_may() -> None:
    company = company_of(1)
    started = time.process_time()
    assert frontier(company) == frontier(company)
    assert time.process_time() - started < 2
