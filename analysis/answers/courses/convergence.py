"""How many periods do agents need to identify an optimal action?"""

from collections.abc import Iterator
from typing import Annotated, ClassVar

from pydantic import Field

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerFigure, AnswerTable, RunLink
from analysis.base.benchmark_filters import TITLES, TableFilter
from analysis.base.filters import COMPARED_ROWS, MANY, Rows
from analysis.base.selectors import styles_of_agents
from analysis.base.table import Kind
from analysis.convergence.selectors import convergence_of
from analysis.convergence.times import Convergence, sentences
from analysis.figures.courses.convergence import reached_figure
from games.registry import parts_of
from infrastructure.declared import Choices
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.schemas import Plain
from infrastructure.text.tables import Column, typed

SOLVABLE = {name: title for name, title in TITLES.items() if parts_of(name).solve_time}
"""Titles of the environments that have an action which is optimal in every period."""


class ConvergenceFilter(TableFilter):
    """Only environments in which an action can be optimal once and for all. The papers print no times."""

    PAGE: ClassVar[str] = "analysis:convergence"
    PLAYS: ClassVar[tuple[str, ...]] = tuple(SOLVABLE)
    KINDS: ClassVar[tuple[str, ...]] = tuple(kind for kind in Kind if kind != Kind.PUBLISHED)

    environments: Annotated[
        tuple[Annotated[Plain, Choices(SOLVABLE)], ...], Field(title="Environments", max_length=MANY)
    ] = tuple(SOLVABLE)
    rows: Rows = tuple(row for row in COMPARED_ROWS if row != Kind.PUBLISHED)


def _rows(result: Convergence) -> Iterator[tuple[object, ...]]:
    for row in result.rows:
        runs = len(row.times)
        yield (
            *row.column, row.agent.name, row.agent.kind.value, row.instances, runs, row.solved,
            100 * row.share, row.median, row.mean, *(row.interval or (None, None)),
        )  # fmt: skip


def _pairs(result: Convergence) -> Iterator[tuple[object, ...]]:
    for pair in result.pairs:
        yield (
            pair.environment, pair.first, pair.second, pair.n, pair.difference, *(pair.interval or (None, None)),
            pair.p, pair.adjusted_p,
        )  # fmt: skip


def _figure(organization: Organization, run_filter: ConvergenceFilter, link: RunLink) -> PlotlyFigure:
    return reached_figure(convergence_of(organization, run_filter), styles_of_agents(organization=organization))


PERIODS_UNIT = "periods"
TIME = "periods-to-the-first-optimal-action"
CONVERGENCE = Answer(
    name="convergence",
    title="Periods to an optimal action",
    question="How many periods do agents need to identify an optimal action?",
    filter_class=ConvergenceFilter,
    read=convergence_of,
    sentences=sentences,
    public=("convergence", "convergence-pairs"),
    tables={
        "convergence": AnswerTable(
            "periods to the first optimal action, a row for each agent, environment and difficulty",
            "Periods to the first optimal action",
            [
                *typed(str, "environment", "difficulty", "agent", "row"),
                *typed(int, "instances", "runs"),
                Column("solved", value_type=int, description="Instances that every run solved."),
                Column("share_solved", "Solved", "%", digits=0, value_type=float, anchor=TIME),
                Column(
                    "median", unit=PERIODS_UNIT, value_type=int, anchor=TIME,
                    description="Null if fewer than half solved.",
                ),
                Column(
                    "mean", unit=PERIODS_UNIT, digits=1, value_type=float, anchor=TIME,
                    description="A run without an optimal action counts as the length of the run.",
                ),
                Column("low", "95 % interval from", PERIODS_UNIT, digits=1, value_type=float),
                Column("high", "to", PERIODS_UNIT, digits=1, value_type=float),
            ],
            _rows,
            file="table",
        ),
        "convergence-pairs": AnswerTable(
            "tests of every two agents over the instances that both finished",
            "Differences in periods, the second agent minus the first",
            [
                *typed(str, "environment", "first", "second"),
                Column("instances", value_type=int),
                Column("difference", unit=PERIODS_UNIT, digits=1, value_type=float, anchor="tests-of-periods"),
                Column("low", "95 % interval from", PERIODS_UNIT, digits=1, value_type=float),
                Column("high", "to", PERIODS_UNIT, digits=1, value_type=float),
                Column("p", "p", digits=3, value_type=float, description="Two-sided p of the sign-flip test."),
                Column(
                    "p_holm", "p, Holm", digits=3, value_type=float,
                    description="p by Holm's method over the pairs of an environment.",
                ),
            ],
            _pairs,
            file="pairs",
        ),
    },
    figures={
        "convergence": AnswerFigure(
            "share of runs with an optimal action by period", _figure, "Runs with an optimal action by period",
            file="figure", anchor=TIME, height=290,
        )
    },
)  # fmt: skip
