"""The figure of baseline scores on a design and on the published difficulties."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from analysis.figures.dots import rows_of_dots
from environments.declarations import POINTS, ScoreFormat
from environments.generation import difficulty_title, is_design
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
    scale = "score in points" if score_format == POINTS else f"{score_format.label.lower()} × 100"
    panels = {
        f"{difficulty_title(column)}, {scale}": [
            trace
            for row, (slug, title) in enumerate(titles.items())
            for trace in _row(row, title, column, scores.get((slug, column), ()), score_format)
        ]
        for column in columns
    }
    return rows_of_dots(
        panels,
        list(titles.values()),
        min(values),
        description=(
            f"Scores of {counted(len(titles), 'baseline,baselines')} on {', '.join(map(difficulty_title, columns))}, a dot "
            "for each seed. The table has their means."
        ),
    )


def _row(
    row: int, title: str, column: str, seed_scores: Sequence[tuple[int, float]], score_format: ScoreFormat
) -> list[Trace]:
    """The mean and the seeds of a baseline in a panel; empty if it has no score there."""
    if not seed_scores:
        return []
    seed_scores = sorted(seed_scores, key=lambda seed_score: seed_score[1])
    points = [100 * score for _, score in seed_scores]
    dots = theme.dots(
        points,
        [row + offset for offset in offsets(points)],
        "",
        theme.ACCENT if is_design(column) else theme.SOFT,
        size=8,
        opacity=0.75,
        showlegend=False,
        hovertext=[
            f"{title} on {difficulty_title(column)}, seed {seed}: {score_format.text(score)}"
            for seed, score in seed_scores
        ],
    )
    return [theme.mean_bar(fmean(points), row), dots]
