"""Do scores grow with the release date of the model?"""

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from django.http import QueryDict

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerFigure, AnswerTable, RunLink
from analysis.base.benchmark_filters import TableFilter
from analysis.base.filters import Rows
from analysis.base.selectors import styles_of_agents
from analysis.base.table import Kind
from analysis.figures import trend
from analysis.trends.selectors import ColumnTrends, trends_of
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.text.tables import Column, typed
from stats.lines.regression import ModelScores, Trend


class TrendFilter(TableFilter):
    """Baselines have no release date, so they are no source."""

    PAGE: ClassVar[str] = "analysis:trends"
    KINDS: ClassVar[tuple[str, ...]] = tuple(kind for kind in Kind if kind != Kind.BASELINE)
    TAKES_DESIGNS: ClassVar[bool] = False

    rows: Rows = (Kind.OWN, Kind.PUBLISHED)


def _slopes(trends: Iterable[ColumnTrends]) -> Iterator[tuple[object, ...]]:
    """Lines that could not be fitted are left out."""
    for each in trends:
        for source, line in (("own", each.own_trend), ("published", each.paper_trend)):
            if isinstance(line, Trend):
                yield (
                    each.column.environment, each.column.difficulty, source,
                    line.slope, line.standard_error, line.p, line.r_squared, line.n, line.models,
                )  # fmt: skip


def _observations(trends: Iterable[ColumnTrends]) -> Iterator[tuple[object, ...]]:
    for each in trends:
        for source, models in (("own", each.own), ("published", each.paper)):
            for model in models:
                for run, score in _runs_of(model):
                    yield (*each.column, source, model.name, model.released, score, run)


def _runs_of(model: ModelScores) -> list[tuple[int | None, float]]:
    """(run id, score) pairs sorted by id; for a published mean, one pair with None as the id."""
    if model.run_ids is None:
        return [(None, float(model.scores[0]))]
    return sorted(zip(model.run_ids.tolist(), model.scores.tolist(), strict=True))


def _figure(organization: Organization, table_filter: TableFilter, link: RunLink) -> PlotlyFigure:
    trends = trends_of(organization=organization, table_filter=table_filter)
    return trend.trend_figure(trends, styles_of_agents(organization=organization), link)


def _context(organization: Organization, table_filter: TableFilter, query: QueryDict) -> dict[str, Any]:
    data = trends_of(organization=organization, table_filter=table_filter)
    return {
        "data": data,
        "heights": trend.chart_heights(data),
        "published": next((each.paper_trend for each in data if isinstance(each.paper_trend, Trend)), None),
    }


A_YEAR = "points a year"
TRENDS = Answer(
    name="trends",
    title="Trends",
    question="Do scores grow with the release date of the model?",
    filter_class=TrendFilter,
    read=lambda owner, table_filter: trends_of(organization=owner, table_filter=table_filter),
    template="analysis/trends.html",
    context=_context,
    public=("trends",),
    tables={
        "trends": AnswerTable(
            "slopes of scores over release dates",
            "Scores by release date of the model",
            [
                *typed(str, "environment", "difficulty", "source"),
                Column("slope", unit=A_YEAR, digits=1, value_type=float),
                Column("standard_error", unit=A_YEAR, digits=1, value_type=float),
                Column("p", "p", digits=3, value_type=float),
                Column("r_squared", "R²", value_type=float),
                *typed(int, "observations", "models"),
            ],
            _slopes,
            file="slopes",
        ),
        "observations": AnswerTable(
            "scores with the release dates of their models",
            "Observations",
            [
                *typed(str, "environment", "difficulty", "source", "model"),
                Column("released", value_type=str, description="Day of the release, such as 2026-01-31."),
                Column("score", unit="points", digits=1, value_type=float),
                Column("run", value_type=int, description="Number of the run; null for a published mean."),
            ],
            _observations,
        ),
    },
    figures={"trends": AnswerFigure("scores by release date of the model", _figure, file="figure")},
)
