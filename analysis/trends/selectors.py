"""Observations of trends: the organization's runs of models with a release date, and the paper's means. Two queries."""

from collections.abc import Iterable
from dataclasses import dataclass

from accounts.models import Organization
from analysis.base.table import Kind
from analysis.benchmark import published
from analysis.benchmark.filters import TableFilter
from analysis.benchmark.table import BenchmarkColumn
from analysis.boards import benchmark_records
from runs.models import Agent
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
    """Every finished run of a model, but baselines and models without a release date."""
    agents = Agent.objects.filter(organization=organization).values_list("id", "release_date")
    released = {agent_id: day for agent_id, day in agents if day is not None}
    return _by_column(
        chosen,
        (
            (
                BenchmarkColumn(record.environment, record.difficulty),
                Observation(
                    record.agent_name,
                    released[record.agent_id],
                    100 * (record.score or 0.0),
                    record.agent_id,
                    record.run_id,
                ),
            )
            for record in benchmark_records(organization=organization, table_filter=chosen)
            if record.is_scored and record.agent_id in released
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
