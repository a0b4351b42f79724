"""Scheduling: a task for each worker."""

from collections.abc import Sequence

from analysis.figures.theme import PlotlyFigure
from play.screens import plots
from play.screens.base import Grid, Screen, names_in
from play.screens.matching import MatchForm
from play.turns import Seen, Turn


class AssignmentForm(MatchForm):
    columns = ("Worker", "Task")
    what = "task"

    def named(self) -> list[str]:
        return names_in(self.turn.texts["get_worker_ids"])

    def choices(self) -> Sequence[str]:
        return names_in(self.turn.texts["get_task_ids"])

    def last_of(self, name: str) -> str:
        return str(self.turn.last["assignment"][name]) if self.turn.last else ""


class SchedulingScreen(Screen):
    form = AssignmentForm
    figure_height = 340

    def texts(self, turn: Turn) -> list[tuple[str, str]]:
        return []

    def last(self, turn: Turn) -> list[str]:
        return _problems(turn.last) if turn.last else []

    def history(self, seen: Sequence[Seen]) -> Grid | None:
        rows = [
            [
                str(one["period"]),
                " ".join(f"{worker}–{task}" for worker, task in one["assignment"].items()),
                _short(one),
            ]
            for one in reversed(seen)
        ]
        return Grid(("Period", "Assignment", "Problems told"), rows, words=3) if rows else None

    def figure(self, seen: Sequence[Seen], last: int) -> PlotlyFigure:
        changed = [None, *(_changed(*pair) for pair in zip(seen, seen[1:], strict=False))]
        told = {"problems told": [len(one["problems"]) for one in seen]}
        panels = [
            plots.panel("problems told", plots.lines(seen, told), plots.SECOND),
            plots.panel("workers with another task", plots.lines(seen, {"changed": changed}), plots.SECOND),
        ]
        return plots.plot(panels, last, "Problems told after each period, and how many workers changed their task.")


def _problems(one: Seen) -> list[str]:
    """In the words that an agent reads."""
    found = []
    for number, problem in one["problems"].items():
        worker, matched, task, rival = problem.values()
        found.append(
            f"({number}) Problem with assignment: worker {worker} was matched to task {matched} and worker {rival} was "
            f"assigned to {task}. However, worker {worker} would have preferred task {task}, and in fact worker {worker} "
            f"is more suited to task {task} than worker {rival}."
        )
    return found


def _short(one: Seen) -> str:
    """The same in fewer words, for a table."""
    found = [
        f"{problem['worker']} would have preferred {problem['preferred_task']}, for which it is more suited than "
        f"{problem['assigned_worker']}"
        for problem in one["problems"].values()
    ]
    return "; ".join(found) or "none"


def _changed(before: Seen, after: Seen) -> int:
    return sum(before["assignment"][worker] != task for worker, task in after["assignment"].items())
