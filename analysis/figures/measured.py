"""The figure of baseline scores on a design and on the published difficulties."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from analysis.figures.dots import FRAME, LEAST, ROW, TOP, label_room, layouts
from environments.declarations import POINTS, ScoreFormat
from environments.generation import is_design
from infrastructure.figures import theme
from infrastructure.figures.swarm import offsets
from infrastructure.figures.theme import PlotlyFigure, Trace
from infrastructure.text.formats import counted

NOTHING = "No game has been played yet."


def measured_figure(
    columns: Sequence[str],
    titles: Mapping[str, str],
    scores: Mapping[tuple[str, str], Sequence[tuple[int, float]]],
    score_format: ScoreFormat,
) -> PlotlyFigure:
    """Scores by difficulty: a panel for each difficulty, a row for each baseline, a dot for each seed. A bar marks the
    mean.

    titles: titles of the baselines by slug; scores: (seed, share of 1) by baseline and difficulty
    """
    values = [100 * score for seed_scores in scores.values() for _, score in seed_scores]
    if not values:
        return theme.empty_figure(NOTHING)
    data: list[Trace] = []
    for index, column in enumerate(columns):
        colour = theme.ACCENT if is_design(column) else theme.SOFT
        for row, (slug, title) in enumerate(titles.items()):
            if not (seed_scores := sorted(scores.get((slug, column), ()), key=lambda seed_score: seed_score[1])):
                continue
            points = [100 * score for _, score in seed_scores]
            y = [row + offset for offset in offsets(points)]
            texts = [f"{title} on {column}, seed {seed}: {score_format.text(score)}" for seed, score in seed_scores]
            dots = theme.dots(points, y, "", colour, size=8, opacity=0.75, showlegend=False, hovertext=texts)
            data += theme.on_axes([theme.mean_bar(fmean(points), row), dots], index)
    rows = max(len(titles), LEAST)
    names = list(titles.values())
    scale = "score in points" if score_format == POINTS else f"{score_format.label.lower()} × 100"
    heads = [f"{column}, {scale}" for column in columns]
    layout, narrow = layouts(heads, names, min(0.0, *values), rows)
    description = (
        f"Scores of {counted(len(names), 'baseline,baselines')} on {', '.join(columns)}, a dot for each seed. The table "
        "has their means."
    )
    figure = theme.figure(data, layout, description=description, height=rows * ROW + FRAME, narrow=narrow)
    figure["layout"]["margin"] |= {"t": TOP, "l": label_room(names, 26) + 22}
    return figure
