"""Published scores as open marks."""

from collections.abc import Callable, Sequence

from analysis.base.published import PublishedLitmus, published_style
from infrastructure.figures import theme
from infrastructure.figures.theme import Trace


def published_dots(x: Sequence[float], y: Sequence[float], texts: Sequence[str], models: Sequence[str]) -> Trace:
    """The open marks of published models at their means. texts: shown on hovering"""
    looks = list(map(published_style, models))
    marker = {
        "color": [look.colour for look in looks],
        "symbol": [look.symbol for look in looks],
        "size": 7,
        "line": {"width": 1.25},
    }
    return theme.dots(x, y, "", theme.FAINT, marker=marker, showlegend=False, hovertext=list(texts))


def published_scores(
    scores: Sequence[PublishedLitmus], point: Callable[[PublishedLitmus], tuple[float, float]], unit: str
) -> list[Trace]:
    """The marks of published litmus scores; none without scores. point: returns the coordinates of a score"""
    if not scores:
        return []
    x, y = zip(*map(point, scores), strict=True)
    texts = [f"{theme.plain(score.llm, 60)}, published {unit}" for score in scores]
    return [published_dots(x, y, texts, [score.llm for score in scores])]
