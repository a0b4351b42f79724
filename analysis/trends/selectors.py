"""Data of trends: the organization's runs of models with a release date (one query), and the paper's means."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from accounts.models import Organization
from analysis.base import published
from analysis.base.benchmark_filters import TableFilter
from analysis.base.table import BenchmarkColumn, Kind
from analysis.benchmark.runs import benchmark_runs
from infrastructure.fields import Floats, Integers
from runs.catalog import release_dates
from runs.selectors.cells import SCORED
from stats.lines.regression import ModelScores, Trend, clustered_trend, trend


@dataclass(frozen=True)
class ColumnTrends:
    """The trends of one environment and difficulty.

    own, paper: scores by agent, and by published model
    own_trend, paper_trend: fitted lines, or the reason why there is none
    """

    column: BenchmarkColumn
    own: list[ModelScores]
    paper: list[ModelScores]
    own_trend: Trend | str
    paper_trend: Trend | str


def trends_of(*, organization: Organization, table_filter: TableFilter) -> list[ColumnTrends]:
    own, paper = own_observations(organization, table_filter), paper_observations(table_filter)
    runs = published.benchmark_scores()[0].summary.n
    return [
        ColumnTrends(column, own[column], paper[column], trend(own[column]), clustered_trend(paper[column], runs))
        for column in table_filter.columns
    ]


def own_observations(organization: Organization, table_filter: TableFilter) -> dict[BenchmarkColumn, list[ModelScores]]:
    """Every finished run of a model with a release date. Baselines have no release date."""
    rows: Iterable[Any] = (
        benchmark_runs(organization=organization, table_filter=table_filter)
        .filter(SCORED, agent__release_date__isnull=False)
        .order_by("agent_id")
        .values_list(
            "instance__environment",
            "instance__difficulty",
            "agent_id",
            "agent__name",
            "agent__model",
            "agent__release_date",
        )
        .annotate(scores=Floats("score"), run_ids=Integers("id"), instances=Integers("instance_id"))
    )
    return _by_column(
        table_filter,
        (
            (
                (environment, difficulty),
                ModelScores(model or name, released, 100 * scores, name, agent_id, run_ids, instances),
            )
            for environment, difficulty, agent_id, name, model, released, scores, run_ids, instances in rows
        ),
    )


def paper_observations(table_filter: TableFilter) -> dict[BenchmarkColumn, list[ModelScores]]:
    """The printed means, if the filter shows the paper's rows and they have the same conditions."""
    shows_published = Kind.PUBLISHED in table_filter.rows and table_filter.fits_published
    dates = release_dates()
    return _by_column(
        table_filter,
        (
            (
                (score.environment, score.difficulty),
                ModelScores(score.llm, dates[score.llm], np.array([100 * score.summary.mean])),
            )
            for score in (published.benchmark_scores() if shows_published else ())
            if score.summary.mean is not None and score.llm in dates
        ),
    )


def _by_column(
    table_filter: TableFilter, column_scores: Iterable[tuple[tuple[str, str], ModelScores]]
) -> dict[BenchmarkColumn, list[ModelScores]]:
    columns: dict[BenchmarkColumn, list[ModelScores]] = {column: [] for column in table_filter.columns}
    for column, scores in column_scores:
        if column in columns:
            columns[column].append(scores)
    return columns
