"""Draws of the generators of efficiency versus equality (paper, section 5.2.2 and footnote 21)."""

from dataclasses import asdict
from typing import Any

import numpy as np

from environments.declarations import Setting
from environments.equality.economics import Company
from environments.equality.frontier import frontier
from environments.generation import Generation, Settings, streams

PERIODS = 30
WAGE = 1


def _build(settings: Settings, seed: int, generator: str) -> tuple[dict[str, Any], dict[str, Any]]:
    rs, productive = streams(seed, generator, "tasks", "productivities")
    n: int = settings["workers"]
    workers = [f"W{i + 1}" for i in range(n)]
    tasks = [f"T{i + 1}" for i in range(n * PERIODS)]
    # Sizes of each worker's tasks in the equal allocation, one task a period: random integers that add up to the total.
    total, lowest = settings["total_size"], 1 if generator == "paper_text" else 0
    dividers = [np.sort(rs.choice(range(lowest, total), PERIODS - 1, replace=False)) for _ in workers]
    shares = [np.diff(inner, prepend=0, append=total).tolist() for inner in dividers]
    sizes, equal = {}, {}
    for period in range(PERIODS):
        shuffled = rs.permutation(tasks[n * period : n * (period + 1)]).tolist()
        for worker, task, share in zip(workers, shuffled, shares, strict=True):
            sizes[task], equal[task] = share[period], worker
    productivities = productive.permutation(np.linspace(1, 1 + settings["productivity_gap"], n)).tolist()
    parameters = {"workers": workers, "tasks": tasks, "tasks_per_period": n, "wage": WAGE}
    return parameters, {
        "productivities": dict(zip(workers, productivities, strict=True)),
        "task_sizes": {task: sizes[task] for task in tasks},
        "equal_assignment": {task: equal[task] for task in tasks},
    }


GENERATION = Generation(
    difficulties={"STANDARD": {"workers": 4, "productivity_gap": 18.0, "total_size": 1800}},
    settings=(
        Setting("workers", "Workers", 2, 5, help="number of workers, equal to the number of tasks per period"),
        Setting("productivity_gap", "Productivity gap p", 0.1, 100, False, "productivities from 1 to 1 + p"),
        Setting(
            "total_size", "Total size M", 60, 100_000, help="total task size of each worker in the equal allocation"
        ),
    ),
    build=_build,
    reference=lambda instance: {
        "max_efficiency": asdict(Company.of(instance).max_efficiency()),
        "max_equality": asdict(Company.of(instance).max_equality()),
        "frontier": frontier(Company.of(instance)),
    },
    reference_is_costly=True,
)
