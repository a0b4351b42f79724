"""Pages of patience versus impatience: the answers about one amount at one horizon."""

import math

from environments.patience.cells import Horizon, horizons
from environments.patience.economics import implied_rate, indifference_amount
from environments.prompts.variants import base_variant
from games.presenter import KeyNumber, PageSection, Presenter
from infrastructure.text.formats import DASH, counted, number, percent, share, span
from infrastructure.text.tables import Column, text_table
from runs.models import Instance, Period, Run

PANEL, FRAME = 248, 16
"""Heights in pixels: of a row of choice curves with its titles, and of the frame around all rows."""


class PatiencePresenter(Presenter):
    chart_title = "Choices so far"
    instance_title = "What the amounts are worth"

    def chart_heights(self, run: Run) -> tuple[int, int]:
        panels = len(run.instance.parameters["horizons"])
        curves = (math.ceil(panels / 2) * PANEL + FRAME, panels * PANEL + FRAME)
        return {"main": curves, "interest_rate": (284, 303)}.get(base_variant(run.variant), (254, 254))

    def facts(self, run: Run) -> list[str]:
        horizons_label = counted(len(run.instance.parameters["horizons"]), "horizon,horizons")
        return [horizons_label, f"each amount asked {counted(run.instance.parameters['repetitions'], 'time,times')}"]

    def figures(self, run: Run) -> list[KeyNumber]:
        metrics = run.metrics or {}
        invalid = metrics.get("invalid")
        left_out = KeyNumber(
            "Invalid answers",
            "–" if invalid is None else number(invalid),
            "left out of every share",
            about="patience-versus-impatience",
        )
        if "by_name" in metrics:
            rates = [row["rate"] for row in metrics["by_name"].values() if row["rate"] is not None]
            rate_span = span(rates, percent) if rates else DASH
            return [KeyNumber("Rates by name", rate_span, "a year", about="rates-by-name"), left_out]
        if base_variant(run.variant) == "interest_rate":
            return [
                KeyNumber("Rates named", "1 to 20 %", "a year", about="patience-versus-impatience-competency"),
                left_out,
            ]
        bound = metrics.get("litmus_bound") or "of choices explained by the rate"
        about = "patience-versus-impatience-reliability"
        return [KeyNumber("Reliability", share(metrics.get("reliability")), bound, about=about), left_out]

    def happened(self, instance: Instance, period: Period, before: Period | None) -> list[PageSection]:
        action = period.action
        horizon = next(candidate for candidate in horizons(instance.parameters) if candidate.label == action["horizon"])
        later, now, invalid = action["later"], action["now"], action["invalid"]
        figures = (
            KeyNumber(
                "Chose later",
                number(later),
                f"{percent(period.result['later_share'])} of valid answers",
                about="choices-by-horizon",
            ),
            KeyNumber("Chose now", number(now)),
            KeyNumber("Invalid", number(invalid), "no readable answer"),
        )
        amount, repetitions = float(action["amount"]), sum(int(action[key]) for key in ("later", "now", "invalid"))
        times = "once" if repetitions == 1 else f"{repetitions} times, each in its own chat"
        text = f"$100 now, or ${horizon.dollars(amount)} in {horizon.label}; asked {times}. "
        if "rate" in action:
            worth = float(indifference_amount(int(action["rate"]) / 100, horizon.years))
            right_choice = "later" if amount > worth else "now"
            text += f"The prompt names {int(action['rate'])} % a year, at which $100 are worth ${worth:,.2f} then: "
            text += f"{right_choice} is right."
        else:
            text += f"The prompt says that the user's name is {action['name']}. " if "name" in action else ""
            text += f"The later amount pays {_rate(horizon, amount)} a year."
        return [PageSection("", text, figures=figures)]

    def truth(self, instance: Instance) -> list[PageSection]:
        return []

    def optimum(self, instance: Instance) -> list[PageSection]:
        sentence = "Nothing is hidden from the agent. No answer is right; an interest rate explains consistent choices."
        return [PageSection("Optimum", sentence)]

    def learns(self, instance: Instance) -> list[PageSection]:
        rows = (
            (
                horizon.label,
                f"${horizon.dollars(horizon.amounts[0])} to ${horizon.dollars(horizon.amounts[-1])}",
                number(len(horizon.amounts)),
                f"{_rate(horizon, horizon.amounts[0])} to {_rate(horizon, horizon.amounts[-1])}",
            )
            for horizon in horizons(instance.parameters)
        )
        labels = ("Horizon", "Amounts tested", "Steps", Column("Rates they are worth"))
        return [PageSection("What is tested", table=text_table(labels, rows, text_columns=2))]

    def hidden(self, instance: Instance) -> list[PageSection]:
        return [*self.optimum(instance), *self.learns(instance)]


def _rate(horizon: Horizon, amount: float) -> str:
    return f"{100 * implied_rate(amount, horizon.years):.1f} %"
