"""Greedy equality: the larger tasks to those who were paid less."""

from __future__ import annotations

from agents.baselines import reading
from agents.baselines.base import Baseline, Play
from agents.baselines.litmus import reading as reading_litmus


class GreedyEquality(Baseline):
    """Paper, appendix H.2. Ties go by the order of the workers, and of the tasks."""

    slug = "equality-greedy-equality"
    title = "Greedy equality"
    description = "Gives larger tasks to the workers with less pay so far."
    environments = ("efficiency_vs_equality",)

    def play(self, period: int) -> Play:
        done = reading_litmus.jobs((yield "get_previous_periods_data", {}))
        workers = reading.ids((yield "get_worker_ids", {}))
        sizes = reading_litmus.task_sizes((yield "get_task_info", {}))
        paid = dict.fromkeys(workers, 0.0) | {job.worker: job.total_pay for job in done}
        tasks = sorted(sizes, key=lambda task: -sizes[task])
        workers.sort(key=lambda worker: paid[worker])
        order = ", ".join(f"{worker} (${paid[worker]:g})" for worker in workers)
        yield "write_notes", {"notes": f"Larger tasks go to those paid less so far: {order}."}
        yield self.act(dict(zip(tasks, workers, strict=True)))
