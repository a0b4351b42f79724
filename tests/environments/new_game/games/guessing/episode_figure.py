"""A guessing run: the guesses around the hidden number."""

from collections.abc import Sequence

from environments.base import Instance, Outcome
from infrastructure.figures import theme
from infrastructure.figures.panels import Panel, panel_figure
from infrastructure.figures.theme import PlotlyFigure


def guessing_figure(instance: Instance, outcomes: Sequence[Outcome], last: int, colour: str) -> PlotlyFigure:
    number, highest = instance.hidden["number"], instance.parameters["highest"]
    guesses = [outcome.action["number"] for outcome in outcomes]
    line = theme.line([outcome.period for outcome in outcomes], guesses, "guess", colour, mode="lines+markers")
    truth = theme.reference([0, last], [number, number], "hidden number")
    panel = Panel("guess", [truth, theme.marked(line)], 240, (0, highest))
    return panel_figure([panel], last, description=f"{len(guesses)} guesses; the hidden number is {number}.")
