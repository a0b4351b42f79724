"""Which runs are long? A small answer, which a test adds to a copy of the project."""

from typing import Annotated, ClassVar

from pydantic import Field

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerFigure, AnswerTable, RunLink
from analysis.base.filters import Filter
from environments.registry import ENVIRONMENTS
from infrastructure.declared import Choices
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.schemas import Plain
from infrastructure.text.tables import Column
from runs.models import Run


class LengthFilter(Filter):
    kind: ClassVar[str] = "lengths"
    PLAYS: ClassVar[tuple[str, ...]] = tuple(ENVIRONMENTS)
    CHIPS: ClassVar[tuple[str, ...]] = ("agents",)
    MORE: ClassVar[tuple[str, ...]] = ("environment", "least")
    PAGE: ClassVar[str] = "analysis:lengths"

    environment: Annotated[
        Plain, Choices({name: each.title for name, each in ENVIRONMENTS.items()}), Field(title="Environment")
    ] = "pricing"
    least: Annotated[int, Field(title="Least periods", ge=1, le=1000, description="Runs of at least this length.")] = 1


def lengths(organization: Organization, length_filter: LengthFilter) -> list[Run]:
    runs = Run.objects.filter(
        organization=organization, periods__gte=length_filter.least, instance__environment=length_filter.environment
    )
    named = runs.filter(agent__slug__in=length_filter.agents) if length_filter.agents else runs
    return list(named.select_related("agent").order_by("-periods", "id"))


def bars(organization: Organization, length_filter: LengthFilter, link: RunLink) -> PlotlyFigure:
    runs = lengths(organization, length_filter)
    trace = {"type": "bar", "x": [run.agent.name for run in runs], "y": [run.periods for run in runs]}
    return {"data": [trace], "layout": {"meta": {"description": "Periods of runs by agent."}}}


LENGTHS = Answer(
    name="lengths",
    title="Lengths of runs",
    question="Which runs are long?",
    filter_class=LengthFilter,
    read=lengths,
    sentences=lambda runs: [f"The longest run has {runs[0].periods} periods."] if runs else ["There is no run."],
    template="analysis/lengths.html",
    tables={
        "lengths": AnswerTable(
            "runs, the longest first",
            "Lengths of runs",
            [
                Column("run", value_type=int, description="Number of the run."),
                Column("agent"),
                Column("periods", value_type=int),
            ],
            lambda runs: [(run.pk, run.agent.name, run.periods) for run in runs],
        )
    },
    figures={"bars": AnswerFigure("lengths of runs by agent", bars)},
)
