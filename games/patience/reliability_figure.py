"""Figure of the litmus page: how well each rate explains an agent's choices at all horizons (earlier paper, figure 9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from environments.patience.cells import Horizon
from environments.patience.economics import LITMUS_RATES, BestRate, Curve, Floats, litmus, overall_reliability
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace

NO_CURVE = "No finished run has enough answers for a curve yet."
HEIGHT = 250
PERCENTS = (100 * LITMUS_RATES).round(1).tolist()


@dataclass(frozen=True)
class RateCurve:
    """One run. reliability: of each of the LITMUS_RATES, (201,); best: its maximum, as in the metrics of the run."""

    name: str
    reliability: Floats
    best: BestRate
    style: AgentStyle
    link: str

    @classmethod
    def of(
        cls, name: str, horizons: Sequence[Horizon], measured: Mapping[str, Any], style: AgentStyle, link: str
    ) -> Self | None:
        """The curve from the metric `by_horizon` of a run; None if no horizon has two measured amounts."""
        curves = []
        for horizon in horizons:
            points = np.array(measured.get(horizon.label, {}).get("curve") or [], dtype=np.float64)
            if len(points) > 1:
                curves.append(Curve(horizon.years, points[:, 0], points[:, 1]))
        return cls(name, overall_reliability(curves), litmus(curves), style, link) if curves else None


def reliability_figure(curves: Sequence[RateCurve], printed: Sequence[Trace] = ()) -> PlotlyFigure:
    """A line over the rates for each run, with a marker at its maximum.

    printed: marks of published rates (percent a year) with their reliability
    """
    if not curves and not printed:
        return theme.empty_figure(NO_CURVE)
    lowest = min(
        [0.5, *(float(curve.reliability.min()) for curve in curves), *(y for trace in printed for y in trace["y"])]
    )
    tile = Tile(
        title="mean reliability over the horizons",
        x_title="rate, % a year",
        traces=[trace for curve in curves for trace in _traces(curve)] + list(printed),
        x={"range": [-0.3, 20.3], "dtick": 2, "tick0": 0},
        y={"range": [lowest - 0.03, 1.03], "nticks": 6},
    )
    sentences = (f"{theme.plain(curve.name, 60)}: {_verdict(curve.best)}." for curve in curves)
    description = f"Reliability by rate. {' '.join(sentences)}"
    figure = grid_figure([tile], columns=1, height=HEIGHT, description=description, select="url")
    return theme.with_legend_room(figure, 600)


def _traces(curve: RateCurve) -> list[Trace]:
    name, style = theme.plain(curve.name, 60), curve.style
    values = curve.reliability.tolist()
    look = {"color": style.colour, "width": 1.75, "dash": style.dash}
    line = theme.line(
        PERCENTS, values, "", style.colour, line=look, showlegend=False, customdata=[curve.link] * len(values),
        hovertext=[f"{name}: reliability {value:.2f} at {rate:.1f} %" for rate, value in zip(PERCENTS, values, strict=True)],
    )  # fmt: skip
    dot = style.dots(
        [100 * curve.best.rate], [curve.best.reliability], theme.plain(curve.name, 30), 1, customdata=[curve.link],
        hovertext=[f"{name}: {_verdict(curve.best)}"],
    )  # fmt: skip
    return [line, dot | {"marker": dot["marker"] | {"size": 10}}]


def _verdict(best: BestRate) -> str:
    """Such as 'best at 5.0 % a year, reliability 0.97'."""
    rate = best.bound or f"{100 * best.rate:.1f} %"
    return f"best at {rate} a year, reliability {best.reliability:.2f}"
