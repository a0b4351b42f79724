"""How much of a score is the instance, how much the agent on it, and how much the run? More seeds, or more repeats?"""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from accounts.models import Organization
from analysis.answers.base import Answer, AnswerFigure, AnswerTable, RunLink
from analysis.base.benchmark_filters import TableFilter
from analysis.base.filters import Rows
from analysis.base.table import Kind
from analysis.figures.variance import variance_figure
from analysis.variance.selectors import CellVariance, variances_of
from infrastructure.figures.theme import PlotlyFigure
from infrastructure.money import NANO
from infrastructure.text.formats import percent
from infrastructure.text.tables import Column, typed
from stats.designs.planning import detectable_difference
from stats.designs.variance import ALL, ON_INSTANCE_AND_RUN, RUN, Components

SEEDS, REPEATS = (6, 12, 24, 48), (1, 2, 3, 5)
"""The numbers of seeds and of runs on each of them in the plan."""


class VarianceFilter(TableFilter):
    """Baselines are left out by default: the runs of a deterministic one do not vary, and it would be pooled."""

    PAGE: ClassVar[str] = "analysis:variance"
    KINDS: ClassVar[tuple[str, ...]] = tuple(kind for kind in Kind if kind != Kind.PUBLISHED)

    rows: Rows = (Kind.OWN,)


def _components(cells: Iterable[CellVariance]) -> Iterator[tuple[object, ...]]:
    for cell in cells:
        if isinstance(cell.result, Components):
            result = cell.result
            total = sum(term.deviation**2 for term in result.terms.values())
            for name, term in result.terms.items():
                share = 100 * term.deviation**2 / total if total else None
                numbers = (result.agents, result.instances, result.runs)
                yield (*cell.column, name, term.deviation, *(term.interval or (None, None)), share, *numbers)


def _plan(cells: Iterable[CellVariance]) -> Iterator[tuple[object, ...]]:
    """Where the run is not separated, only the plan of one run on each instance is known."""
    for cell in cells:
        if isinstance(cell.result, Components):
            for repeats in REPEATS if RUN in cell.result.terms else REPEATS[:1]:
                deviation = cell.result.of_difference(repeats)
                if deviation is not None:
                    differences = [detectable_difference(deviation, seeds) for seeds in SEEDS]
                    yield (*cell.column, repeats, *differences, 2 * repeats * cell.cost_nano / NANO)


def _sentences(cells: Sequence[CellVariance]) -> list[str]:
    if not cells:
        return ["No finished run fits the filters."]
    return [GENERAL, *map(_sentence, cells)]


GENERAL = (
    "With the same number of runs, more seeds always detect at least as small a difference as more runs on each seed. "
    "Repeats separate the components; they pay where no further seeds can be played."
)


def _sentence(cell: CellVariance) -> str:
    result = cell.result
    if isinstance(result, str):
        return f"{cell.title}: {result}"
    if RUN not in result.terms:
        joined = next(name for name in (ON_INSTANCE_AND_RUN, ALL) if name in result.terms)
        return (
            f"{cell.title}: no agent has two runs on one instance, so the spread of runs is not separated ({joined}: "
            f"{result.terms[joined].deviation:.1f} points). Launch 2 runs on each instance to separate it."
        )
    once, twice = result.of_difference(1), result.of_difference(2)
    run = result.terms[RUN].deviation
    if once is None or twice is None:
        return f"{cell.title}: runs of one agent on one instance spread by {run:.1f} points. Two agents give a plan."
    if not once:
        return f"{cell.title}: the differences of agents are the same on all instances and in all runs."
    return (
        f"{cell.title}: {percent(2 * run**2 / once**2)} of the variance of a difference between two agents is between runs "
        f"on one instance. Found with 80 % power: {detectable_difference(once, 12):.1f} points on 12 seeds with one run on "
        f"each, {detectable_difference(twice, 12):.1f} with two on each, {detectable_difference(once, 24):.1f} on 24 seeds "
        "with one on each."
    )


def _figure(organization: Organization, table_filter: TableFilter, link: RunLink) -> PlotlyFigure:
    return variance_figure(variances_of(organization=organization, table_filter=table_filter))


def _points(name: str, title: str = "", **options: str) -> Column:
    return Column(name, title, unit="points", digits=1, value_type=float, **options)


TERMS, PLAN = "components-of-the-variance", "seeds-or-repeats"
VARIANCE = Answer(
    name="variance",
    title="What scores vary by",
    question="How much of a score is the instance, how much the agent on it, and how much the run? More seeds, or more "
    "runs on each?",
    filter_class=VarianceFilter,
    read=lambda owner, table_filter: variances_of(organization=owner, table_filter=table_filter),
    sentences=_sentences,
    tables={
        "variance": AnswerTable(
            "the components of the variance of scores",
            "Components of the variance",
            [
                *typed(str, "environment", "difficulty", "component"),
                _points("deviation", "Standard deviation", anchor=TERMS),
                *(_points(name, title, anchor=TERMS) for name, title in (("low", "95 % from"), ("high", "95 % to"))),
                Column("share", "Share of the variance", unit="%", digits=0, value_type=float, anchor=TERMS),
                *typed(int, "agents", "instances", "runs"),
            ],
            _components,
            file="components",
        ),
        "variance_plan": AnswerTable(
            "smallest differences of two agents that are detected, by seeds and runs on each instance",
            "Smallest difference detected with 80 % power",
            [
                *typed(str, "environment", "difficulty"),
                Column("repeats", "Runs on each instance", value_type=int),
                *(_points(f"seeds_{number}", f"{number} seeds", anchor=PLAN) for number in SEEDS),
                Column("seed_usd", "Both agents on a seed", unit="$", value_type=float, anchor="cost-of-a-call"),
            ],
            _plan,
            file="plan",
        ),
    },
    figures={
        "variance": AnswerFigure(
            "standard deviation of each component",
            _figure,
            file="figure",
            anchor=TERMS,
        )
    },
)
