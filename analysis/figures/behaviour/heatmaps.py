"""Heatmaps of pairwise tests, with the same order of agents in every panel (paper, figures 4, 5 and 16)."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from analysis.behaviour.pairs import POOLED, AgentScores, Pair, PairGrid
from infrastructure.figures import theme
from infrastructure.figures.grid import GAP, Tile, grid_figure
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted, number, p_text, probability
from stats.pairwise import SignedRank

TOO_FEW = "Two agents with a finished run are needed for a comparison."
ROW, LEAST = 28, 3
"""Height of a row in pixels, and the least height of a panel in rows."""
FRAME = 94
"""Pixels above and below the panels, with the padding of the chart."""
POOLED_PANELS, BY_DIFFICULTY = 2, 3
"""Panels beside each other on a wide page."""
LETTER = 6.3
CROWDED = 8
"""With more agents than this, numbers have fewer digits."""
WIDE_NAME, NARROW_NAME, NAME_START = 24, 14, 4
"""Letters of a name beside a panel, on a wide page and on a phone; letters kept of the start of a shortened name."""
SCALE = [[0, "token:scale-low"], [0.5, "token:panel"], [1, "token:scale-high"]]

PairLink = Callable[[AgentScores, AgentScores], str]
"""Returns the address of the comparison of two agents; if both are the same, the address of its runs."""

Cell = tuple[float | None, str, str]
"""(colour from -1 to 1, text, words shown on hover)."""


def pooled_figure(grid: PairGrid, link: PairLink) -> PlotlyFigure:
    """The tests over all difficulties together, and their consistency over difficulties."""
    if len(grid.difficulties) == 1:
        return _figure(grid, [_tests_tile(grid, POOLED, grid.hardest, link)], columns=POOLED_PANELS)
    consistency = f"consistency over {len(grid.difficulties)} difficulties"
    panels = [
        _tests_tile(grid, POOLED, "all difficulties together", link),
        _heat(grid, consistency, partial(_consistency_cell, grid), grid.hardest, link),
    ]
    return _figure(grid, panels, columns=POOLED_PANELS)


def difficulty_figure(grid: PairGrid, link: PairLink) -> PlotlyFigure:
    """A panel of tests for each difficulty that an agent has played."""
    return _figure(
        grid, [_tests_tile(grid, name, name, link) for name in _played_difficulties(grid)], columns=BY_DIFFICULTY
    )


def _played_difficulties(grid: PairGrid) -> list[str]:
    return [name for name in grid.difficulties if any(name in player.scores for player in grid.players)]


def chart_heights(grid: PairGrid) -> list[tuple[int, int]]:
    """Pixels of the charts of `pooled_figure` and `difficulty_figure` on a wide page and on a phone.

    On a phone their panels are stacked.
    """

    def height_of(rows: int) -> int:
        return rows * _panel_height(grid) + (rows - 1) * GAP + FRAME

    by_difficulty = len(_played_difficulties(grid))
    return [
        (height_of(1), height_of(min(POOLED_PANELS, len(grid.difficulties)))),
        (height_of(-(-by_difficulty // BY_DIFFICULTY)), height_of(by_difficulty)),
    ]


def _panel_height(grid: PairGrid) -> int:
    return ROW * max(LEAST, len(grid.players))


def _figure(grid: PairGrid, tiles: Sequence[Tile], columns: int) -> PlotlyFigure:
    if len(grid.players) < 2:
        return theme.empty_figure(TOO_FEW)
    description = (
        f"{counted(len(grid.players), 'agent,agents')} compared with each other: "
        f"{', '.join(theme.plain(player.name) for player in grid.players)}. The table below has the numbers."
    )
    names, short = _names(grid, _cut), _names(grid, _shortened)
    left, narrow_left = (16 + round(LETTER * max(map(len, labels))) for labels in (names, short))
    figure = grid_figure(
        tiles,
        columns=columns,
        height=_panel_height(grid),
        description=description,
        left=left,
        narrow_left=narrow_left,
        select="url",
    )
    meta = figure["layout"]["meta"]
    for index in range(len(tiles)):
        # The agents are in the same order everywhere, so names beside the first panel are enough on a wide screen.
        name = f"yaxis{theme.suffix(index)}"
        figure["layout"][name] |= {"ticktext": names, "showticklabels": index == 0}
        meta["narrow"][name] |= {"ticktext": short, "showticklabels": True}
        if "middle" in meta:
            meta["middle"][name] |= {"showticklabels": True}
    return figure


def _is_crowded(grid: PairGrid) -> bool:
    return len(grid.players) > CROWDED


def _names(grid: PairGrid, fitting: Callable[[str], str]) -> list[str]:
    return [f"{number}  {fitting(theme.plain(player.name))}" for number, player in enumerate(grid.players, start=1)]


def _cut(name: str) -> str:
    return theme.plain(name, WIDE_NAME)


def _shortened(name: str) -> str:
    """A name without its middle, since models of one family differ at the end."""
    if len(name) <= NARROW_NAME:
        return name
    return f"{name[:NAME_START]}…{name[NAME_START + 1 - NARROW_NAME :]}"


def _tests_tile(grid: PairGrid, key: str, title: str, link: PairLink) -> Tile:
    """A panel of tests. key: POOLED or a difficulty"""
    title = f"{title}, row agent against column agent"
    return _heat(grid, title, partial(_test_cell, grid, key), key or grid.hardest, link)


def _heat(grid: PairGrid, title: str, cell_of: Callable[[Pair, bool], Cell], difficulty: str, link: PairLink) -> Tile:
    """A panel with a cell for each pair, and the mean scores on a difficulty in the diagonal.

    cell_of: the cell of a pair, and whether the pair is turned
    """
    rows = [[_cell(grid, row, column, cell_of, difficulty) for column in grid.players] for row in grid.players]
    indices = list(range(len(grid.players)))
    heat: Trace = {
        "type": "heatmap", "x": indices, "y": indices, "showscale": False, "zmin": -1, "zmax": 1, "colorscale": SCALE,
        "z": [[colour for colour, _, _ in row] for row in rows],
        "text": [[text for _, text, _ in row] for row in rows], "texttemplate": "%{text}",
        "textfont": {"family": theme.FONT, "size": 9 if _is_crowded(grid) else 11, "color": theme.INK},
        "hovertext": [[hover_text for _, _, hover_text in row] for row in rows], "hoverinfo": "text",
        "customdata": [[link(row, column) for column in grid.players] for row in grid.players],
        "xgap": 1, "ygap": 1,
    }  # fmt: skip
    span = len(indices) - 0.5
    fixed: dict[str, Any] = {"tickmode": "array", "tickvals": indices, "fixedrange": True, "showgrid": False}
    return Tile(
        title=title,
        x_title="column agent, by its number at the left",
        traces=[heat],
        x={"range": [-0.5, span], "ticktext": [str(index + 1) for index in indices], **fixed},
        y={"range": [span, -0.5], "tickfont": {"size": 11.5, "color": theme.INK}, **fixed},
    )


def _cell(
    grid: PairGrid, row: AgentScores, column: AgentScores, cell_of: Callable[[Pair, bool], Cell], difficulty: str
) -> Cell:
    if row is column:
        score = row.mean(difficulty)
        mean = number(score, 1)
        text = mean if score is None or not _is_crowded(grid) else f"{score:.0f}".replace("-", "−")
        return None, text, f"{theme.plain(row.name, 60)}<br>mean score on {difficulty}: {mean}"
    colour, text, words = cell_of(*grid.between(row, column))
    return colour, text, f"{theme.plain(row.name, 40)} against {theme.plain(column.name, 40)}<br>{words}"


def _test_cell(grid: PairGrid, key: str, pair: Pair, turned: bool) -> Cell:
    test = pair.tests[key].turned() if turned else pair.tests[key]
    few = "few" if _is_crowded(grid) else "too<br>few"
    return (None, few, test_text(test)) if test.p is None else (test.effect, test.stars, test_text(test))


def _consistency_cell(grid: PairGrid, pair: Pair, turned: bool) -> Cell:
    agree, significant = pair.consistency()
    balance = sum(test.direction for key, test in pair.tests.items() if key != POOLED)
    colour = agree / len(grid.difficulties) * ((balance > 0) - (balance < 0)) * (-1 if turned else 1)
    words = (
        f"{significant} of {len(grid.difficulties)} difficulties significant at 5 %, {agree} in the majority direction"
    )
    return colour, f"{agree}/{significant}", words


def test_text(test: SignedRank) -> str:
    """The text shown when the pointer is over a test."""
    if not test.n:
        return "too few: no instance in common"
    size = f"{test.difference or 0.0:+.1f} points on {counted(test.n, 'instance,instances')}".replace("-", "−")
    if test.p is None:
        return f"{size}<br>too few for a test: they differ on {test.n - test.zeros}"
    return f"{size}<br>{theme.plain(f'{p_text(test.p)}, Holm {probability(test.adjusted_p)}')}"
