"""Observations of trends: the organization's runs of models with a release date, and the paper's means. One query."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from accounts.models import Organization
from analysis.base.table import Kind
from analysis.benchmark import published
from analysis.benchmark.filters import TableFilter
from analysis.benchmark.selectors import SCORED
from analysis.benchmark.table import BenchmarkColumn
from analysis.boards import benchmark_runs
from runs.services.catalog import release_dates
from stats.regression import Observation, Trend, trend


@dataclass(frozen=True)
class ColumnTrends:
    """One environment and difficulty. own, paper: observations; own_trend, paper_trend: their lines, or why there is none"""

    column: BenchmarkColumn
    own: list[Observation]
    paper: list[Observation]
    own_trend: Trend | str
    paper_trend: Trend | str


def trends_of(*, organization: Organization, chosen: TableFilter) -> list[ColumnTrends]:
    own, paper = own_observations(organization, chosen), paper_observations(chosen)
    return [
        ColumnTrends(column, own[column], paper[column], trend(own[column]), trend(paper[column]))
        for column in chosen.columns
    ]


def own_observations(organization: Organization, chosen: TableFilter) -> dict[BenchmarkColumn, list[Observation]]:
    """Every finished run of a model with a release date. Baselines have none."""
    runs = benchmark_runs(organization=organization, table_filter=chosen).filter(
        SCORED, agent__release_date__isnull=False
    )
    names = ("agent__name", "agent__release_date", "score", "agent_id", "id")
    rows: Iterable[Any] = runs.order_by("agent_id", "instance__seed", "id").values_list(
        "instance__environment", "instance__difficulty", *names
    )
    return _by_column(
        chosen,
        (
            (BenchmarkColumn(environment, difficulty), Observation(model, released, 100 * score, model_id, run_id))
            for environment, difficulty, model, released, score, model_id, run_id in rows
        ),
    )


def paper_observations(chosen: TableFilter) -> dict[BenchmarkColumn, list[Observation]]:
    """The printed means, where the paper's rows are chosen and were played under the same conditions."""
    shown = Kind.PUBLISHED in chosen.rows and chosen.fits_published
    dates = release_dates()
    return _by_column(
        chosen,
        (
            (
                BenchmarkColumn(score.environment, score.difficulty),
                Observation(score.llm, dates[score.llm], 100 * score.summary.mean),
            )
            for score in (published.benchmark_scores() if shown else ())
            if score.summary.mean is not None and score.llm in dates
        ),
    )


def _by_column(
    chosen: TableFilter, found: Iterable[tuple[BenchmarkColumn, Observation]]
) -> dict[BenchmarkColumn, list[Observation]]:
    columns: dict[BenchmarkColumn, list[Observation]] = {column: [] for column in chosen.columns}
    for column, observation in found:
        if column in columns:
            columns[column].append(observation)
    return columns
