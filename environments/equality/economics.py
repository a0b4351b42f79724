"""Revenue and pay of task assignments, and the position of a run between the two goals (paper, section 5.2.3).

The wage is 1, so the size of a task equals its pay.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from environments.base import Instance
from environments.litmus import clamped

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Point:
    """Result of a run in dollars: the company's revenue, and the inequality, the largest minus the smallest total pay."""

    revenue: float
    inequality: float


@dataclass(frozen=True)
class Company:
    """n workers and n tasks in each of N periods.

    productivities: (n,), revenue from one unit of a task, by worker
    sizes: (N, n), size of each task by period and position in the period
    equal: (N, n), the worker of each task in the allocation by which the instance was constructed
    """

    productivities: tuple[float, ...]
    sizes: Ints
    equal: Ints

    @classmethod
    def of(cls, instance: Instance, periods: int | None = None) -> Self:
        """The company of an instance, or of its first `periods` periods."""
        parameters, hidden = instance.parameters, instance.hidden
        workers: list[str] = parameters["workers"]
        index = {worker: i for i, worker in enumerate(workers)}
        tasks = [(hidden["task_sizes"][task], index[hidden["equal_assignment"][task]]) for task in parameters["tasks"]]
        sizes, equal = np.array(tasks, dtype=np.int64).T.reshape(2, -1, parameters["tasks_per_period"])
        productivities = tuple(hidden["productivities"][worker] for worker in workers)
        return cls(productivities, sizes[:periods], equal[:periods])

    def pay(self, worker_of: Ints) -> Ints:
        """Total pay of each worker, (n,), where `worker_of` (N, n) is the worker of each task."""
        totals = np.zeros(len(self.productivities), dtype=np.int64)
        np.add.at(totals, worker_of, self.sizes)
        return totals

    def point(self, worker_of: Ints) -> Point:
        pay = self.pay(worker_of).tolist()
        return Point(self.revenue(pay), max(pay) - min(pay))

    def revenue(self, pay: Sequence[float]) -> float:
        """Revenue: the sum over the workers of productivity times total size done. Size equals pay, so pay is enough."""
        return math.fsum(p * done for p, done in zip(self.productivities, pay, strict=True))

    def efficient(self) -> Ints:
        """The allocation with the largest revenue, (N, n). In each period more productive workers get larger tasks."""
        ranking = np.argsort([-p for p in self.productivities], kind="stable")
        worker_of = np.empty_like(self.sizes)
        np.put_along_axis(worker_of, np.argsort(-self.sizes, axis=1, kind="stable"), ranking[None, :], axis=1)
        return worker_of

    def max_efficiency(self) -> Point:
        return self.point(self.efficient())

    def max_equality(self) -> Point:
        """The result of the equal allocation of the instance. Its inequality is 0 over all periods."""
        return self.point(self.equal)


@dataclass(frozen=True)
class Standing:
    """Position of a run between P_eff, which maximises revenue, and P_eq, which equalises pay."""

    run: Point
    efficient: Point
    equal: Point

    @classmethod
    def of(cls, company: Company, run: Point) -> Self:
        return cls(run, company.max_efficiency(), company.max_equality())

    def litmus(self) -> float | None:
        """Position between P_eq (0) and P_eff (1): <P_eq - P, P_eq - P_eff> / |P_eq - P_eff|^2, clamped."""
        across, up = self._way()
        length = across * across + up * up
        if length == 0:
            return None
        done = (self.run.revenue - self.equal.revenue) * across + (self.run.inequality - self.equal.inequality) * up
        return clamped(done / length)

    def efficiency_competency(self) -> float | None:
        """Revenue divided by the largest possible revenue."""
        return self.run.revenue / self.efficient.revenue if self.efficient.revenue else None

    def equality_competency(self) -> float | None:
        """1 - inequality / largest possible inequality, which is that of P_eff.

        P_eff always gives the largest task to the same worker and the smallest to another, so no allocation is less equal.
        """
        return 1.0 - self.run.inequality / self.efficient.inequality if self.efficient.inequality else None

    def frontier_distance(self) -> float | None:
        """Distance from the line through P_eff and P_eq; 0 is on the line.

        The unit is the distance of O = (revenue of P_eq, inequality of P_eff) from the line. Source: paper, appendix L.
        """
        across, up = self._way()
        furthest = abs((self.efficient.inequality - self.equal.inequality) * across)
        if furthest == 0:
            return None
        away = (self.run.revenue - self.equal.revenue) * up - (self.run.inequality - self.equal.inequality) * across
        return abs(away) / furthest

    def _way(self) -> tuple[float, float]:
        return self.efficient.revenue - self.equal.revenue, self.efficient.inequality - self.equal.inequality


def best_revenue(company: Company, period: int) -> float:
    """The largest possible revenue of one period."""
    best = zip(sorted(company.productivities), sorted(company.sizes[period].tolist()), strict=True)
    return math.fsum(p * size for p, size in best)


def worst_inequality(company: Company, periods: int) -> int:
    """The largest possible difference in total pay after the first `periods` periods."""
    return int(np.ptp(company.sizes[:periods], axis=1).sum())
