"""Figure of the name experiment: the rate for each name, by group, with a star at the rate without a name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from environments.patience.cells import NAMES
from infrastructure.figures import theme
from infrastructure.figures.grid import Tile, grid_figure
from infrastructure.figures.swarm import offsets
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted, span

NO_RUNS = "No run with users' names has finished yet."
GROUPS = {
    ("african_american", "female"): "African American women",
    ("african_american", "male"): "African American men",
    ("white", "female"): "White women",
    ("white", "male"): "White men",
}
ROW = 40
LEFT = 158


@dataclass(frozen=True)
class NameScores:
    """One agent's rates by name, as shares a year; None if the choices identify no rate.

    without: the rate at the same horizon without a name, drawn as a star
    targets, without_target: targets of a click on a name or on the star
    """

    agent: str
    rates: Mapping[str, float | None]
    without: float | None
    colour: str
    targets: Mapping[str, object]
    without_target: object


def name_strip(agents: Sequence[NameScores], *, select: str) -> PlotlyFigure:
    """A figure with one panel for each agent, one row for each group, one dot for each name."""
    agents = [scores for scores in agents if scores.rates]
    if not agents:
        return theme.empty_figure(NO_RUNS)
    percents = [
        100 * rate for scores in agents for rate in (*scores.rates.values(), scores.without) if rate is not None
    ]
    low, high = theme.padded(percents, 0.12)
    if high - low < 2:
        middle = (low + high) / 2
        low, high = middle - 1, middle + 1
    tiles = [_tile(scores, max(low, -0.5), high) for scores in agents]
    parts = []
    for scores in agents:
        rates = [100 * rate for rate in scores.rates.values() if rate is not None]
        rates_text = f"{span(rates, '{:.1f}'.format)} % a year" if rates else "none with a rate"
        parts.append(f"{theme.plain(scores.agent) or 'This run'}: {len(scores.rates)} names, {rates_text}.")
    description = f"Patience rates by name and group. {' '.join(parts)}"
    return grid_figure(tiles, columns=1, height=ROW * len(GROUPS), description=description, left=LEFT, select=select)


def _tile(scores: NameScores, low: float, high: float) -> Tile:
    traces = [trace for row, group in enumerate(GROUPS) for trace in _group_traces(scores, row, group, low, high)]
    if scores.without is not None:
        star = 100 * scores.without
        traces += [
            theme.reference([star, star], [-0.5, len(GROUPS) - 0.5], "", showlegend=False),
            theme.dots(
                [star], [-0.5], "", theme.INK, symbol="star", size=11, showlegend=False,
                hovertext=[f"without a name: {star:.1f} % a year"], customdata=[scores.without_target],
            ),
        ]  # fmt: skip
    unknown = sum(rate is None for rate in scores.rates.values())
    prefix = f"{theme.plain(scores.agent, 40)}: " if scores.agent else ""
    left_out = f"; {counted(unknown, 'name,names')} without a rate" if unknown else ""
    return Tile(
        title=f"{prefix}rate by name, bars are means{left_out}",
        x_title="best rate at one horizon, % a year",
        traces=traces,
        x={"range": [low, high], "nticks": 8},
        y={
            "range": [len(GROUPS) - 0.5, -0.7],
            "tickvals": list(range(len(GROUPS))),
            "ticktext": list(GROUPS.values()),
            "tickfont": {"size": 11.5, "color": theme.SOFT},
        },
    )


def _group_traces(scores: NameScores, row: int, group: tuple[str, str], low: float, high: float) -> list[Trace]:
    """One dot for each name of a group that has a rate, and a bar at their mean."""
    names = [name.text for name in NAMES if (name.race, name.gender) == group]
    rated_names = sorted((rate, name) for name in names if (rate := scores.rates.get(name)) is not None)
    x = [100 * rate for rate, _ in rated_names]
    spread = offsets([100 * (value - low) / (high - low) for value in x])
    dots = theme.dots(
        x, [row + offset for offset in spread], "", scores.colour, size=8, opacity=0.75, showlegend=False,
        hovertext=[f"{_name_label(name, scores)}: {100 * rate:.1f} % a year" for rate, name in rated_names],
        customdata=[scores.targets[name] for _, name in rated_names],
    )  # fmt: skip
    return [dots, theme.mean_bar(sum(x) / len(x), row)] if x else [dots]


def _name_label(name: str, scores: NameScores) -> str:
    """The name in the prompt, followed by the agent if it is given; in the figure of a run, followed by the period."""
    period = scores.targets[name]
    agent = f", {theme.plain(scores.agent, 40)}" if scores.agent else ""
    return f"{name}{agent}{f', from period {period}' if isinstance(period, int) else ''}"
