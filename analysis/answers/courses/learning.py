"""How do scores change over the periods of a run?"""

from collections.abc import Iterator
from typing import Annotated, ClassVar

from pydantic import Field

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerFigure, AnswerTable, RunLink
from analysis.base.benchmark_filters import DIFFICULTIES, TableFilter
from analysis.base.filters import COMPARED_ROWS, MANY, Rows
from analysis.base.selectors import styles_of_agents
from analysis.base.table import Kind
from analysis.courses.learning import Learning, sentences
from analysis.courses.learning_selectors import learning_of
from analysis.figures.courses.learning import learning_figure
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.schemas import Plain
from infrastructure.text.tables import Column, typed


class LearningFilter(TableFilter):
    """The papers print no scores by period. People and outside agents are sources that can be chosen."""

    PAGE: ClassVar[str] = "analysis:learning"
    CHIPS: ClassVar[tuple[str, ...]] = ("environments", "difficulties", "rows", "agents")
    KINDS: ClassVar[tuple[str, ...]] = tuple(kind for kind in Kind if kind != Kind.PUBLISHED)

    rows: Rows = tuple(row for row in COMPARED_ROWS if row != Kind.PUBLISHED)
    difficulties: Annotated[
        tuple[Plain, ...],
        Field(
            title="Difficulties",
            max_length=MANY,
            description=f"Any of {', '.join(DIFFICULTIES)} and your own designs, such as `CUSTOM%2BTIGHT`.",
        ),
    ] = DIFFICULTIES[:1]


def _rows(result: Learning) -> Iterator[tuple[object, ...]]:
    for curve in result.curves:
        moments = (curve.mean[round(share * (len(curve.mean) - 1))] for share in (0, 0.25, 0.5, 0.75, 1))
        yield (
            *curve.column, curve.agent.name, curve.agent.kind.value, curve.instances, curve.runs,
            *(100 * float(mean) for mean in moments), 100 * curve.rise,
        )  # fmt: skip


def _periods(result: Learning) -> Iterator[tuple[object, ...]]:
    for curve in result.curves:
        bands = curve.bands(range(len(curve.mean)))
        for period, (mean, band) in enumerate(zip(curve.mean.tolist(), bands, strict=True)):
            ends = [100 * end for end in band] if band else (None, None)
            yield *curve.column, curve.agent.name, curve.agent.kind.value, period, curve.instances, 100 * mean, *ends


def _figure(organization: Organization, run_filter: LearningFilter, link: RunLink) -> PlotlyFigure:
    return learning_figure(learning_of(organization, run_filter), styles_of_agents(organization=organization))


CURVE, POINTS = "learning-curve", "points"
MOMENTS = ("first", "quarter", "half", "three_quarters", "last")
LEARNING = Answer(
    name="learning",
    title="Learning curves",
    question="How do scores change over the periods of a run?",
    filter_class=LearningFilter,
    read=learning_of,
    sentences=sentences,
    public=("learning",),
    tables={
        "learning": AnswerTable(
            "mean scores at the start, in the middle and at the end of runs",
            "Mean scores at five periods of a run",
            [
                *typed(str, "environment", "difficulty", "agent", "row"),
                *typed(int, "instances", "runs"),
                *(Column(name, unit=POINTS, digits=1, value_type=float, anchor=CURVE) for name in MOMENTS),
                Column(
                    "rise", "Rise, first to last tenth", POINTS, digits=1, value_type=float, anchor=CURVE,
                    description="The mean of the last tenth of the periods minus that of the first tenth.",
                ),
            ],
            _rows,
            file="table",
        ),
        "learning-periods": AnswerTable(
            "mean scores by period with their 95 % intervals",
            "Mean scores by period",
            [
                *typed(str, "environment", "difficulty", "agent", "row"),
                *typed(int, "period", "instances"),
                Column("mean", unit=POINTS, digits=1, value_type=float),
                Column("low", "95 % interval from", POINTS, digits=1, value_type=float),
                Column("high", "to", POINTS, digits=1, value_type=float),
            ],
            _periods,
            read=learning_of,
            file="periods",
        ),
    },
    figures={
        "learning": AnswerFigure(
            "mean scores by period, with bands", _figure, "Mean score by period", file="figure", anchor=CURVE
        )
    },
)  # fmt: skip
