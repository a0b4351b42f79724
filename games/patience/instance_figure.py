"""Figure of the questionnaire of patience versus impatience: the interest rate that corresponds to each amount."""

import math

from environments.base import Instance
from environments.patience.cells import horizons
from environments.patience.economics import implied_rate
from infrastructure.figures import theme
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.formats import counted, span

HEIGHT = 280
RATES = (0.5, 1, 2, 5, 10, 20, 50, 100, 200)


def patience_instance(instance: Instance) -> PlotlyFigure:
    """All amounts with the yearly rate at which they are worth $100 today, one line for each horizon."""
    asked_horizons, times = horizons(instance.parameters), instance.parameters["repetitions"]
    traces, rates = [], []
    for horizon, colour in zip(asked_horizons, theme.PALETTE, strict=False):
        worth = [100 * implied_rate(amount, horizon.years) for amount in horizon.amounts]
        texts = [f"$100 now or ${horizon.dollars(amount)} in {horizon.label}: {rate:.1f} % a year"
                 for amount, rate in zip(horizon.amounts, worth, strict=True)]  # fmt: skip
        marks = {"mode": "lines+markers", "marker": {"color": colour, "size": 4}}
        name = f"{horizon.label}, {counted(len(horizon.amounts), 'amount,amounts')}"
        traces.append(theme.line(horizon.amounts, worth, name, colour, hovertext=texts, **marks))
        rates += worth
    questions = times * sum(len(horizon.amounts) for horizon in asked_horizons)
    description = (
        f"{counted(questions, 'question,questions')}: each amount is asked {counted(times, 'time,times')}. The amounts pay "
        f"{span(rates, '{:.1f}'.format)} % a year."
    )
    y = {"type": "log", "range": [math.log10(min(rates) * 0.8), math.log10(max(rates) * 1.25)], "tickvals": RATES}
    tile = Tile(
        "rate at which both are worth the same, % a year",
        "amount paid later instead of $100 now, $",
        traces,
        {"tickformat": "$~g"},
        y,
    )
    return grid_figure([tile], columns=1, height=HEIGHT, description=description)
