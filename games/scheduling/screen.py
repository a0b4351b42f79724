"""Screen of scheduling: a task for each worker."""

from collections.abc import Sequence

from games.screens import plots
from games.screens.base import Screen
from games.screens.forms import MatchForm
from games.screens.turn import PastPeriod
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.tables import Table, text_table


class AssignmentForm(MatchForm):
    columns = ("Worker", "Task")
    noun = "task"

    def field_names(self) -> list[str]:
        return list(self.turn.parameters["workers"])

    def choices(self) -> Sequence[str]:
        return self.turn.parameters["tasks"]

    def last_value(self, name: str) -> str:
        return str(self.turn.last["assignment"][name]) if self.turn.last else ""


class SchedulingScreen(Screen):
    form = AssignmentForm
    figure_height = 340

    def last(self, last: PastPeriod) -> list[str]:
        return _problems(last)

    def history(self, past_periods: Sequence[PastPeriod]) -> Table:
        rows = [
            [
                str(period["period"]),
                " ".join(f"{worker}–{task}" for worker, task in period["assignment"].items()),
                _short(period),
            ]
            for period in reversed(past_periods)
        ]
        return text_table(("Period", "Assignment", "Problems told"), rows, text_columns=3)

    def figure(self, past_periods: Sequence[PastPeriod], last: int) -> PlotlyFigure:
        changed = [None, *(_changed(*pair) for pair in zip(past_periods, past_periods[1:], strict=False))]
        counts = {"problems told": [len(period["problems"]) for period in past_periods]}
        panels = [
            plots.panel("problems told", plots.lines(past_periods, counts), plots.SECOND),
            plots.panel("workers with another task", plots.lines(past_periods, {"changed": changed}), plots.SECOND),
        ]
        return plots.plot(panels, last, "Problems told after each period, and how many workers changed their task.")


def _problems(period: PastPeriod) -> list[str]:
    """The problems of a period, in the wording that agents read."""
    sentences = []
    for number, problem in period["problems"].items():
        worker, matched, task, rival = problem.values()
        sentences.append(
            f"({number}) Problem with assignment: worker {worker} was matched to task {matched} and worker {rival} was "
            f"assigned to {task}. However, worker {worker} would have preferred task {task}, and in fact worker {worker} "
            f"is more suited to task {task} than worker {rival}."
        )
    return sentences


def _short(period: PastPeriod) -> str:
    """The problems of a period in fewer words, for a table."""
    sentences = [
        f"{problem['worker']} would have preferred {problem['preferred_task']}, for which it is more suited than "
        f"{problem['assigned_worker']}"
        for problem in period["problems"].values()
    ]
    return "; ".join(sentences) or "none"


def _changed(before: PastPeriod, after: PastPeriod) -> int:
    return sum(before["assignment"][worker] != task for worker, task in after["assignment"].items())
