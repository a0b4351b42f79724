"""Two-sided matching: blocking pairs, their expected number, stable matchings.

Ranks are zero-based, 0 most preferred.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from environments.base import Instance
from environments.shocks import is_after

Ints = NDArray[np.intp]


@dataclass(frozen=True)
class Preferences:
    """Strict complete preferences of n workers over n tasks and of tasks over workers, by index.

    worker_rank: (n, n), [w, t] is the rank worker w gives task t
    task_rank: (n, n), [t, w] is the rank task t gives worker w
    """

    worker_rank: Ints
    task_rank: Ints

    @classmethod
    def of(cls, instance: Instance, period: int = 0) -> Self:
        """The preferences of a period, which differ before and after a shock."""
        hidden: dict[str, Any] = instance.hidden
        workers, tasks = instance.parameters["workers"], instance.parameters["tasks"]
        redrawn = hidden["shock"]["worker_preferences"] if is_after(instance, period) else {}
        lists = hidden["worker_preferences"] | redrawn
        return cls(
            ranks([lists[w] for w in workers], tasks),
            ranks([hidden["task_preferences"][t] for t in tasks], workers),
        )

    @cached_property
    def size(self) -> int:
        return len(self.worker_rank)

    def blocking_pairs(self, task_of: Ints) -> list[tuple[int, int]]:
        """Pairs (w, t) that prefer each other to their match in `task_of` (n,), by worker, then task. O(n^2)."""
        workers = np.arange(self.size)
        worker_of = np.empty_like(task_of)
        worker_of[task_of] = workers
        worker_prefers = self.worker_rank < self.worker_rank[workers, task_of][:, None]
        task_prefers = self.task_rank < self.task_rank[workers, worker_of][:, None]
        return [(int(w), int(t)) for w, t in np.argwhere(worker_prefers & task_prefers.T)]

    def expected_blocking_pairs(self) -> float:
        """Expected number of blocking pairs of a uniformly random matching, in closed form.

        The pair (w, t) blocks if both are matched with somebody worse: w with one of n-1-r_w(t) tasks, t with one of
        n-1-r_t(w) workers. All combinations of w's task and t's worker in which w and t are apart are equally likely, each
        with probability 1 / (n (n-1)). So the probability is (n-1-r_w(t)) (n-1-r_t(w)) / (n (n-1)), summed over all pairs.
        """
        n = self.size
        if n == 1:
            return 0.0
        worse_tasks = n - 1 - self.worker_rank
        worse_workers = n - 1 - self.task_rank.T
        return float((worse_tasks * worse_workers).sum() / (n * (n - 1)))

    def stable_matching(self) -> Ints:
        """The worker-optimal stable matching, (n,) task of each worker: deferred acceptance (Gale and Shapley 1962)."""
        order = np.argsort(self.worker_rank, axis=1)
        proposals = [0] * self.size
        holder = [-1] * self.size
        free = list(range(self.size))
        while free:
            worker = free.pop()
            task = int(order[worker, proposals[worker]])
            proposals[worker] += 1
            held = holder[task]
            if held < 0 or self.task_rank[task, worker] < self.task_rank[task, held]:
                holder[task] = worker
                worker = held
            if worker >= 0:
                free.append(worker)
        task_of = np.empty(self.size, dtype=np.intp)
        task_of[holder] = np.arange(self.size)
        return task_of


def ranks(lists: Sequence[Sequence[str]], ids: Sequence[str]) -> Ints:
    """The rank matrix (n, n) of preference lists, with columns in the order of `ids`."""
    column = {id_: i for i, id_ in enumerate(ids)}
    return np.argsort([[column[id_] for id_ in preference] for preference in lists], axis=1)
