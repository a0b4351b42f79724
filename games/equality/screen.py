"""Screen of efficiency versus equality: choose a worker for each task of the period."""

from collections.abc import Sequence

from environments.equality.environment import EfficiencyVersusEquality
from games.screens import plots
from games.screens.base import Screen, natural, plain_number
from games.screens.forms import MatchForm
from games.screens.turn import PastPeriod, Turn
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.tables import Table, text_table


class TasksForm(MatchForm):
    columns = ("Task", "Size", "Worker")
    noun = "worker"

    def field_names(self) -> list[str]:
        game = self.turn.game
        assert isinstance(game, EfficiencyVersusEquality)
        self.sizes = {task: game.sizes[task] for task in game.tasks}
        return list(self.sizes)

    def cells(self, name: str) -> Sequence[str]:
        return [str(self.sizes[name])]

    def choices(self) -> Sequence[str]:
        return self.turn.parameters["workers"]


class EqualityScreen(Screen):
    form = TasksForm
    figure_height = 430

    def tables(self, turn: Turn) -> list[Table]:
        if turn.last is None:
            return []
        done = {values["worker"]: values for values in turn.last["tasks"].values()}
        rows = [
            [worker, f"{done[worker]['size']:,}", f"{done[worker]['revenue']:,.2f}", f"{done[worker]['total_pay']:,}"]
            for worker in sorted(done, key=natural)
        ]
        return [text_table(("Worker", "Last size", "Last revenue, $", "Total pay, $"), rows, title="Workers so far")]

    def last(self, last: PastPeriod) -> list[str]:
        return [
            f"In period {last['period']} the company earned ${last['revenue']:,.2f} in revenue. "
            f"Its total revenue so far is ${last['total_revenue']:,.2f}."
        ]

    def history(self, past_periods: Sequence[PastPeriod]) -> Table:
        rows = [
            [str(period["period"]), f"{values['worker']} did {task}"]
            + [plain_number(values[key], 0) for key in ("size", "pay")]
            + [plain_number(values["revenue"]), plain_number(values["total_pay"], 0)]
            for period in reversed(past_periods)
            for task, values in period["tasks"].items()
        ]
        columns = ("Period", "Done", "Size", "Pay, $", "Revenue, $", "Total pay, $")
        return text_table(columns, rows, text_columns=2)

    def figure(self, past_periods: Sequence[PastPeriod], last: int) -> PlotlyFigure:
        workers = sorted((values["worker"] for values in past_periods[-1]["tasks"].values()), key=natural)
        pay = [
            {values["worker"]: values["total_pay"] for values in period["tasks"].values()} for period in past_periods
        ]
        paid = {worker: [period[worker] for period in pay] for worker in workers}
        earned = {"revenue": [period["total_revenue"] for period in past_periods]}
        panels = [
            plots.panel("total pay, $", plots.lines(past_periods, paid), plots.FIRST),
            plots.panel("total revenue, $", plots.lines(past_periods, earned), plots.SECOND),
        ]
        return plots.plot(panels, last, "Total pay of each worker and total revenue after each period.")
