"""Patience versus impatience: the answers to one amount at one horizon."""

from __future__ import annotations

from typing import Any

from dashboard.presenters.base import Cell, Column, Figure, Presenter, Section, Table, metrics_of
from environments.patience.cells import Horizon, horizons
from environments.patience.economics import implied_rate, indifference_amount
from infrastructure.text.formats import counted, number, percent, share
from runs.models import Instance, Period, Run


class PatiencePresenter(Presenter):
    chart_title = "Choices so far"

    def facts(self, run: Run) -> list[str]:
        asked = counted(len(run.instance.parameters["horizons"]), "horizon,horizons")
        return [asked, f"each amount asked {counted(run.instance.parameters['repetitions'], 'time,times')}"]

    def figures(self, run: Run) -> list[Figure]:
        metrics = metrics_of(run)
        invalid = metrics.get("invalid")
        left_out = Figure("Invalid answers", "–" if invalid is None else number(invalid), "left out of every share")
        if "by_name" in metrics:
            rates = [row["rate"] for row in metrics["by_name"].values() if row["rate"] is not None]
            span = f"{percent(min(rates))} to {percent(max(rates))}" if rates else "–"
            return [Figure("Rates by name", span, "a year"), left_out]
        if run.variant == "interest_rate":
            return [Figure("Rates named", "1 to 20 %", "a year"), left_out]
        bound = metrics.get("litmus_bound") or "of choices explained by the rate"
        return [Figure("Reliability", share(metrics.get("reliability")), bound), left_out]

    def happened(self, instance: Instance, period: Period, before: Period | None) -> list[Section]:
        action = period.action
        horizon = next(one for one in horizons(instance.parameters) if one.label == action["horizon"])
        later, now, invalid = action["later"], action["now"], action["invalid"]
        figures = (
            Figure("Chose later", number(later), f"{percent(period.result['later_share'])} of valid answers"),
            Figure("Chose now", number(now)),
            Figure("Invalid", number(invalid), "no readable answer"),
        )
        return [Section("", _asked(horizon, action), figures=figures)]

    def hidden(self, instance: Instance) -> list[Section]:
        rows = tuple(
            (
                Cell(horizon.label),
                Cell(f"${horizon.dollars(horizon.amounts[0])} to ${horizon.dollars(horizon.amounts[-1])}"),
                Cell(number(len(horizon.amounts))),
                Cell(f"{_rate(horizon, horizon.amounts[0])} to {_rate(horizon, horizon.amounts[-1])}"),
            )
            for horizon in horizons(instance.parameters)
        )
        names = ("Horizon", "Amounts tested", "Steps", "Rates they are worth")
        columns = tuple(Column(name, place == 2) for place, name in enumerate(names))
        told = "Nothing is hidden from the agent. No answer is right; an interest rate explains consistent choices."
        return [Section("What is tested", told, table=Table(columns, rows))]


def _asked(horizon: Horizon, action: dict[str, Any]) -> str:
    amount = float(action["amount"])
    number_ = sum(int(action[key]) for key in ("later", "now", "invalid"))
    times = "once" if number_ == 1 else f"{number_} times, each in its own chat"
    text = f"$100 now, or ${horizon.dollars(amount)} in {horizon.label}; asked {times}. "
    if "rate" in action:
        rate = int(action["rate"])
        worth = float(indifference_amount(rate / 100, horizon.years))
        right = "later" if amount > worth else "now"
        return text + f"The prompt names {rate} % a year, at which $100 are worth ${worth:,.2f} then: {right} is right."
    if "name" in action:
        text += f"The prompt says that the user's name is {action['name']}. "
    return text + f"The later amount pays {_rate(horizon, amount)} a year."


def _rate(horizon: Horizon, amount: float) -> str:
    return f"{100 * implied_rate(amount, horizon.years):.1f} %"
