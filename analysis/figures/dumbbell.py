"""Two agents on the same instances: a line between their scores for each instance."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analysis.comparing.comparison import Comparison
from analysis.comparing.matching import Side
from infrastructure.figures import theme
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted

NO_PAIRS = "No instance that fits the filters was finished by both agents."
ROW, FRAME = 24, 96
"""Pixels of an instance's row, and of what is around the rows."""


def dumbbell_figure(
    comparison: Comparison, styles: Mapping[int, AgentStyle], link: Callable[[int], str]
) -> PlotlyFigure:
    """A row for each instance that both finished, the largest gain of the second agent on top.

    `link` gives the address of a run by its id.
    """
    pairs = sorted(comparison.pairs, key=lambda match: -match.difference)
    if not pairs:
        return theme.empty_figure(NO_PAIRS)
    agents = comparison.agents
    by_agent = {
        (agents.first_id, agents.first): [match.first for match in pairs if match.first],
        (agents.second_id, agents.second): [match.second for match in pairs if match.second],
    }
    rows = list(range(len(pairs)))
    x = [value for first, second in zip(*by_agent.values(), strict=True) for value in (first.score, second.score, None)]
    y = [value for row in rows for value in (row, row, None)]
    thick = {"color": theme.LINE, "width": 4}
    joined = theme.line(x, y, "", theme.LINE, showlegend=False, hoverinfo="skip", line=thick)
    titles = [match.title for match in pairs]
    dots = [
        styles[agent_id].dots(
            [side.score for side in sides], rows, name, 1,
            hovertext=[_hover_text(name, title, side, link(side.run_id)) for title, side in zip(titles, sides, strict=True)],
            customdata=[link(side.run_id) for side in sides],
        )
        for (agent_id, name), sides in by_agent.items()
    ]  # fmt: skip
    higher = sum(match.difference > 0 for match in pairs)
    description = (
        f"Scores of {theme.plain(agents.first)} and {theme.plain(agents.second)} on "
        f"{counted(len(pairs), 'instance,instances')}; the second scores more on {higher:,} of them."
    )
    data: list[Trace] = [joined, *dots]
    height = len(pairs) * ROW + FRAME
    figure = theme.figure(data, _layout(x, titles), description=description, height=height, select="url")
    for layout in (figure["layout"], figure["layout"]["meta"]["narrow"]):
        layout["margin"] = layout["margin"] | {"l": 24 + round(6.3 * max(map(len, titles)))}
    return figure


def _layout(scores: Sequence[float | None], titles: Sequence[str]) -> dict[str, Any]:
    numbers = [score for score in scores if score is not None]
    span = [min(0.0, *numbers) - 4, max(100.0, *numbers) + 4]
    rows = {"tickvals": list(range(len(titles))), "ticktext": [theme.plain(title, 18) for title in titles]}
    return {
        "hovermode": "closest",
        "xaxis": theme.x_axis(range=span, title=theme.axis_title("score, points", 8)),
        "yaxis": theme.y_axis(range=[len(titles) - 0.5, -0.5], tickmode="array", **rows),
    }


def _hover_text(name: str, title: str, side: Side, address: str) -> str:
    runs = f", mean of {side.runs} runs" if side.runs > 1 else theme.run_suffix(side.run_id, address)
    return f"{theme.plain(name, 60)}, {title}{runs}: {side.score:.1f} points"
