"""Findings and changes as marks on the chart of a run: a line through all panels, with the sentence on hover."""

import textwrap
from collections import defaultdict
from collections.abc import Sequence

from infrastructure.figures import theme
from infrastructure.figures.theme import PlotlyFigure

WIDTH = 60
"""Characters per line of a sentence shown on hover."""


def with_marks(figure: PlotlyFigure, marks: Sequence[tuple[int, str]]) -> PlotlyFigure:
    """The figure with a line and a triangle at each period of `marks`, (period, sentence) pairs.

    Figures whose x axis is not the periods stay as they are.
    """
    if not marks or figure["layout"].get("hovermode") != "x unified":
        return figure
    sentences: dict[int, list[str]] = defaultdict(list)
    for period, sentence in marks:
        sentences[period].append("<br>".join(theme.plain(line) for line in textwrap.wrap(sentence, WIDTH)))
    lines = [
        {"type": "line", "xref": "x", "yref": "paper", "x0": period, "x1": period, "y0": 0, "y1": 1,
         "line": {"color": theme.SOFT, "width": 1, "dash": "1px,3px"}}
        for period in sentences
    ]  # fmt: skip
    top = figure["layout"]["yaxis"]["range"][1]
    triangles = theme.dots(
        list(sentences), [top] * len(sentences), "finding or change", theme.INK,
        symbol="triangle-down", size=9, yaxis="y", showlegend=False,
        hovertext=list(map("<br>".join, sentences.values())),
    )  # fmt: skip
    layout = figure["layout"] | {"shapes": [*figure["layout"].get("shapes", ()), *lines]}
    return figure | {"data": [*figure["data"], triangles], "layout": layout}
