"""The best purchase plan, with a proof that it is optimal.

Maximise sum_c log S_c over integer plans within the budget. Every S_c is an integer. So the chord of log through s and
s+1 lies on or above log at every integer and touches it at s and s+1: a linear upper bound that is exact there. Solve
with a few chords, add the chords at the solution, and repeat. In the end the bound equals the value, which is the proof.
Each step is a mixed-integer linear program for HiGHS.
"""

import json
import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import highspy
import pulp

from environments.base import Instance
from environments.procurement.economics import Menu, log_value, workers
from environments.shocks import is_after, period_of, without_shock

GAP = 1e-6
"""Maximum difference between bound and value, in log, at which an optimum counts as proven."""

ATTEMPT_SECONDS = (120.0, 480.0, 1_920.0, 7_200.0)
"""Limits of processor seconds for the attempts at a proof. Limits of elapsed time would be too short on a busy machine."""

TIGHT = {"primal_feasibility_tolerance": 1e-9, "mip_feasibility_tolerance": 1e-9}
"""Tolerances of HiGHS where its usual ones, of 1e-6 for each constraint, leave a gap."""

OPTIMUM, OPTIMUM_AFTER = "optimum", "optimum_after"
"""Keys of a reference: the optimum of all periods, or before a shock; and the optimum after it."""


@dataclass(frozen=True)
class Optimum:
    """The best plan found. `log_bound` is a proven upper bound on the `log_value` of every plan."""

    workers: float
    plan: dict[str, int]
    cost_cents: int
    log_value: float | None
    log_bound: float | None
    proven: bool
    solver: str
    seconds: float
    """Processor seconds."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def reference_of(instance: Instance, limit: float = ATTEMPT_SECONDS[0]) -> dict[str, Any]:
    """The optimum as JSON, and that after a shock if there is one. Each has its own limit of processor seconds.

    Optima of the paper's instances are read from `optima.json`, others are computed.
    """
    published = _published().get(without_shock(instance).content_hash)
    reference = {OPTIMUM: published or solve(instance, limit).as_json()}
    shock = period_of(instance)
    return reference if shock is None else reference | {OPTIMUM_AFTER: solve(instance, limit, shock).as_json()}


def optimum_at(instance: Instance, period: int) -> dict[str, Any] | None:
    """The optimum of a period. None if it was not computed."""
    return instance.reference.get(OPTIMUM_AFTER if is_after(instance, period) else OPTIMUM)


@cache
def _published() -> dict[str, dict[str, Any]]:
    """The optima computed by `benchmarks/optima.py`, by the hash of their instance."""
    return dict(json.loads(Path(__file__).with_name("optima.json").read_text(encoding="utf-8")))


def solve(instance: Instance, limit: float = ATTEMPT_SECONDS[0], period: int = 0) -> Optimum:
    """Solve an instance as it is in a period. `proven` is False if there is no proof within `limit` processor seconds."""
    return _Solver(Menu.of(instance, period), limit).solve()


class _Solver:
    def __init__(self, menu: Menu, limit: float):
        self.menu = menu
        self.started = time.thread_time()
        self.deadline = self.started + limit
        self.chords: list[set[int]] = [set() for _ in menu.categories]
        self.best: dict[str, int] = {}
        self.best_value = -math.inf
        self.bound: float | None = None
        self.tolerances: Mapping[str, float] = {}
        self._build()

    def _build(self) -> None:
        menu = self.menu
        self.problem = pulp.LpProblem("procurement", pulp.LpMaximize)
        self.quantity: dict[str, pulp.LpVariable] = {}
        self.integers: list[pulp.LpVariable] = []
        cost = []
        for offer in menu.offers:
            most = (menu.budget_cents - (offer.upfront_cents or 0)) // offer.price_cents
            if most < (offer.min_quantity or 1):
                continue
            quantity = self.quantity[offer.id] = self._integer(f"q_{offer.id}", most)
            cost.append(offer.price_cents * quantity)
            if offer.upfront_cents is not None or offer.min_quantity is not None:
                bought = self._integer(f"y_{offer.id}", 1)
                self.problem += quantity <= most * bought
                if offer.min_quantity is not None:
                    self.problem += quantity >= offer.min_quantity * bought
                if offer.upfront_cents is not None:
                    cost.append(offer.upfront_cents * bought)
        self.sums = [
            pulp.lpSum(value * self.quantity[offer] for offer, value in row.items() if offer in self.quantity)
            for row in menu.contributions
        ]
        self.logs = [pulp.LpVariable(f"log_{c}") for c in range(len(menu.categories))]
        self.problem.setObjective(pulp.lpSum(self.logs))
        self.problem += pulp.lpSum(cost) <= menu.budget_cents
        for total in self.sums:
            self.problem += total >= 1

    def _integer(self, name: str, most: int) -> pulp.LpVariable:
        variable = pulp.LpVariable(name, 0, most, cat=pulp.LpInteger)
        self.integers.append(variable)
        return variable

    def solve(self) -> Optimum:
        if any(len(total) == 0 for total in self.sums):
            return self._result(nothing=True)
        self._tighten_relaxation()
        while True:
            status, bound = self._run()
            if status == "infeasible":
                return self._result(nothing=True)
            if bound is not None:
                self.bound = bound if self.bound is None else min(self.bound, bound)
            sums = None
            plan = {offer: round(variable.value() or 0) for offer, variable in self.quantity.items()}
            # Keep the solver's plan if it is feasible in integer arithmetic and better than the best so far.
            if status != "nothing" and self.menu.is_feasible(plan):
                sums = self.menu.category_sums(plan)
                if log_value(sums) > self.best_value:
                    self.best = {offer: quantity for offer, quantity in plan.items() if quantity}
                    self.best_value = log_value(sums)
            if self._proven() or status != "optimal" or sums is None:
                return self._result()
            if not self._add_chords(sums, reach=1):
                if self.tolerances:
                    return self._result()
                # All chords are there, so what is left of the gap is the tolerance of the solver.
                self.tolerances = TIGHT

    def _tighten_relaxation(self) -> None:
        """Add chords at the optimum of the linear relaxation. It is solved in milliseconds and close to the best plan."""
        largest = [
            max(value * int(self.quantity[o].upBound) for o, value in row.items() if o in self.quantity)
            for row in self.menu.contributions
        ]
        for c, top in enumerate(largest):
            self._add_chord(c, 1)
            self._add_chord(c, max(1, top // 2))
        self._set_category(pulp.LpContinuous)
        for _ in range(30):
            status, _ = self._run()
            if status != "optimal":
                break
            if not self._add_chords(tuple(max(1, math.floor(total.value() + 1e-9)) for total in self.sums), reach=0):
                break
        self._set_category(pulp.LpInteger)

    def _set_category(self, category: str) -> None:
        for variable in self.integers:
            variable.cat = category

    def _add_chord(self, c: int, s: int) -> bool:
        if s < 1 or s in self.chords[c]:
            return False
        self.chords[c].add(s)
        self.problem += self.logs[c] <= math.log(s) + math.log1p(1 / s) * (self.sums[c] - s)
        return True

    def _add_chords(self, sums: tuple[int, ...], reach: int) -> bool:
        """Add the chords on both sides of each sum and `reach` more beyond them. Return False if all existed already."""
        added = [self._add_chord(c, s + d) for c, s in enumerate(sums) for d in range(-1 - reach, reach + 1)]
        return any(added)

    def _run(self) -> tuple[str, float | None]:
        """Run HiGHS. Return its status ('optimal', 'stopped' with a plan, 'nothing', 'infeasible') and its bound."""
        if self._is_late():
            return "nothing", None

        def interrupt(kind: Any, message: str, output: Any, answer: Any, data: Any) -> None:
            answer.user_interrupt = self._is_late()

        # With one thread, HiGHS computes and calls back in the current thread.
        self.problem.solve(
            pulp.HiGHS(
                msg=False,
                gapRel=0,
                gapAbs=GAP / 10,
                threads=1,
                **self.tolerances,
                callbackTuple=(interrupt, None),
                callbacksToActivate=[highspy.cb.HighsCallbackType.kCallbackMipInterrupt],
            )
        )
        # PuLP gives HiGHS the negated objective to minimise, so the bound is negated too.
        info = self.problem.solverModel.getInfo()
        if self.problem.sol_status == pulp.LpSolutionOptimal:
            return "optimal", -float(info.mip_dual_bound)
        if self.problem.status == pulp.LpStatusInfeasible:
            return "infeasible", None
        bound = -float(info.mip_dual_bound)
        has_plan = self.problem.sol_status == pulp.LpSolutionIntegerFeasible
        return ("stopped" if has_plan else "nothing"), bound if math.isfinite(bound) else None

    def _is_late(self) -> bool:
        return time.thread_time() >= self.deadline

    def _proven(self) -> bool:
        return self.bound is not None and self.bound - self.best_value <= GAP

    def _result(self, nothing: bool = False) -> Optimum:
        """The best plan found. `nothing`: whether it is proven that no plan within the budget covers every category."""
        return Optimum(
            workers=workers(self.menu.category_sums(self.best)),
            plan=self.best,
            cost_cents=self.menu.cost_cents(self.best),
            log_value=self.best_value if math.isfinite(self.best_value) else None,
            log_bound=self.bound,
            proven=nothing or self._proven(),
            solver=f"HiGHS {highspy.Highs().version()} by PuLP {pulp.__version__}",  # type: ignore[no-untyped-call]
            seconds=round(time.thread_time() - self.started, 3),
        )
