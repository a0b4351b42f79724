"""Knuth's rule for stable matching: resolve one reported blocking pair at a time."""

from agents.baselines import reading
from agents.baselines.base import Baseline, Choice


class Knuth(Baseline):
    """Plays Knuth's rule. Source: Knuth (1976), Mariages stables; paper, appendix H.1."""

    slug = "scheduling-knuth"
    title = "Knuth's rule"
    description = "Takes one reported blocking pair at random and swaps two tasks so that it is matched."
    environments = ("scheduling",)

    def choose(self, period: int) -> Choice:
        last = reading.last_assignment((yield "get_previous_attempts_data", {}))
        if last is None:
            workers = reading.ids((yield "get_worker_ids", {}))
            tasks = reading.ids((yield "get_task_ids", {}))
            return dict(zip(workers, tasks, strict=True)), "I begin with the workers and tasks as they are listed."
        assignment, problems = last
        if not problems:
            return assignment, "Nobody would rather have somebody else, so I keep the assignment."
        worker, task = problems[int(self.rng(period).integers(len(problems)))]
        rival = next(other for other, held in assignment.items() if held == task)
        assignment[worker], assignment[rival] = task, assignment[worker]
        return assignment, (
            f"{worker} and {task} would rather have each other, so {worker} takes {task} "
            f"and {rival} takes {assignment[rival]}."
        )
