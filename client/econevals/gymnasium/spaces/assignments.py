"""Spaces of games in which an action gives each worker one task."""

from typing import Any

import numpy as np
from gymnasium import spaces

from econevals.gymnasium.spaces.base import Action, GameSpaces, Observation, amounts, code_of, order_of, orders
from environments.equality.environment import EfficiencyVersusEquality
from environments.scheduling.environment import Scheduling


class Matching(GameSpaces[Scheduling]):
    """Spaces of scheduling. An action is an order of the tasks (see `orders`): first that of worker W1, then of W2, ...

    Observations hold the last matching and the blocking pairs that were shown. Workers and tasks are numbered from 1; 0
    means none.
    """

    def action_space(self) -> spaces.MultiDiscrete:
        return orders(len(self.game.workers))

    def observation_space(self) -> spaces.Dict:
        n, most = len(self.game.workers), self.game.instance.parameters["feedback_pairs"]
        return spaces.Dict(
            {
                "task_of_worker": spaces.MultiDiscrete(np.full(n, n + 1)),
                "blocking_pairs": spaces.MultiDiscrete(np.full((most, 2), n + 1)),
            }
        )

    def decode(self, action: Action) -> dict[str, Any]:
        return dict(zip(self.game.workers, order_of(action, self.game.tasks), strict=True))

    def encode(self, action: dict[str, Any]) -> Action:
        return code_of([action[worker] for worker in self.game.workers], self.game.tasks)

    def observe(self) -> Observation:
        workers, tasks, last = self.game.workers, self.game.tasks, self.last
        matching = np.zeros(len(workers), dtype=np.int64)
        pairs = np.zeros((self.game.instance.parameters["feedback_pairs"], 2), dtype=np.int64)
        if last:
            matching[:] = [tasks.index(last["assignment"][worker]) + 1 for worker in workers]
            for row, problem in zip(pairs, last["problems"].values(), strict=False):
                row[:] = workers.index(problem["worker"]) + 1, tasks.index(problem["preferred_task"]) + 1
        return {"task_of_worker": matching, "blocking_pairs": pairs}


class TaskAssignment(GameSpaces[EfficiencyVersusEquality]):
    """Spaces of efficiency versus equality. An action is an order of the workers, by task (see `orders`).

    Observations hold the sizes of the coming tasks (0 after the last period). For each worker they hold the size of the
    last task, the revenue from it, and the total pay so far. They also hold the total revenue.
    """

    def action_space(self) -> spaces.MultiDiscrete:
        return orders(len(self.game.workers))

    def observation_space(self) -> spaces.Dict:
        n = len(self.game.workers)
        return spaces.Dict(
            {
                "coming_sizes": amounts(n),
                "size": amounts(n),
                "revenue": amounts(n),
                "total_pay": amounts(n),
                "total_revenue": amounts(1),
            }
        )

    def decode(self, action: Action) -> dict[str, Any]:
        return dict(zip(self.game.tasks, order_of(action, self.game.workers), strict=True))

    def encode(self, action: dict[str, Any]) -> Action:
        return code_of([action[task] for task in self.game.tasks], self.game.workers)

    def observe(self) -> Observation:
        game, last = self.game, self.last
        by_worker = {done["worker"]: done for done in last["tasks"].values()} if last else {}
        seen = {
            name: np.array([by_worker[worker][name] if last else 0.0 for worker in game.workers], dtype=np.float64)
            for name in ("size", "revenue", "total_pay")
        }
        coming = [game.sizes[task] for task in game.tasks] or [0] * len(game.workers)
        return seen | {
            "coming_sizes": np.array(coming, dtype=np.float64),
            "total_revenue": np.array([last["total_revenue"] if last else 0.0]),
        }
