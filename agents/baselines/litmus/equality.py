"""Baselines of efficiency versus equality: greedy for revenue, and greedy for equal pay (paper, appendix H.2)."""

from collections import defaultdict
from collections.abc import Generator

from agents.baselines import reading
from agents.baselines.base import Baseline, Call, Choice
from agents.baselines.reading import Job

RANDOM_PERIODS = 5


class Greedy(Baseline):
    """A rule that gives larger tasks to the workers who come first."""

    environments = ("efficiency_vs_equality",)

    def data(self) -> Generator[Call, str, tuple[list[Job], list[str], dict[str, int]]]:
        """Get the tasks done so far, the workers, and the tasks of the period with their sizes."""
        return (
            reading.jobs((yield "get_previous_periods_data", {})),
            reading.ids((yield "get_worker_ids", {})),
            reading.task_sizes((yield "get_task_info", {})),
        )


class GreedyEfficiency(Greedy):
    slug = "equality-greedy-efficiency"
    title = "Greedy efficiency"
    description = (
        "Shuffles for five periods, then gives larger tasks to the workers who earned more for each unit of size."
    )

    def choose(self, period: int) -> Choice:
        done, workers, sizes = yield from self.data()
        if period < RANDOM_PERIODS:
            tasks = list(sizes)
            shuffles = self.rng(0)
            workers = [shuffles.permutation(workers).tolist() for _ in range(period + 1)][-1]
            note = "I do not know yet who is productive, so I shuffled the workers."
        else:
            tasks = sorted(sizes, key=lambda task: -sizes[task])
            productivity = productivities(done)
            typical = sum(productivity.values()) / len(productivity) if productivity else 0.0
            workers.sort(key=lambda worker: -productivity.get(worker, typical))
            note = f"Larger tasks go to the more productive: {', '.join(workers)}."
        return dict(zip(tasks, workers, strict=True)), note


def productivities(done: list[Job]) -> dict[str, float]:
    """Revenue for each unit of size, by worker. Workers without any work are left out."""
    size: dict[str, int] = defaultdict(int)
    revenue: dict[str, float] = defaultdict(float)
    for job in done:
        size[job.worker] += job.size
        revenue[job.worker] += job.revenue
    return {worker: revenue[worker] / size[worker] for worker in size if size[worker]}


class GreedyEquality(Greedy):
    """Greedy rule for equal pay. Ties are broken by the order of the workers and of the tasks."""

    slug = "equality-greedy-equality"
    title = "Greedy equality"
    description = "Gives larger tasks to the workers with less pay so far."

    def choose(self, period: int) -> Choice:
        done, workers, sizes = yield from self.data()
        paid = dict.fromkeys(workers, 0.0) | {job.worker: job.total_pay for job in done}
        tasks = sorted(sizes, key=lambda task: -sizes[task])
        workers.sort(key=lambda worker: paid[worker])
        order = ", ".join(f"{worker} (${paid[worker]:g})" for worker in workers)
        return dict(zip(tasks, workers, strict=True)), f"Larger tasks go to those paid less so far: {order}."
