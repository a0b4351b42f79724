"""Scores and metrics of agents under several conditions, by filter."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from django.db.models import Avg, Case, Count, F, FloatField, Q, When
from pydantic import Field

from accounts.models import Organization
from analysis.base import published
from analysis.base.benchmark_filters import DIFFICULTIES, TableFilter
from analysis.base.selectors import fitting_runs, in_groups, metric_number, minority_groups
from analysis.base.table import Kind
from analysis.conditions.contrasts import SCORE, Cell, Contrast, contrasts
from environments.registry import BENCHMARKS
from games.registry import parts_of
from infrastructure.declared import Choices
from infrastructure.schemas import Plain
from runs.selectors.cells import SCORED

VARIANT, GENERATOR, DIFFICULTY, PERIODS, AGENT = "variant", "generator", "difficulty", "periods", "agent"
BY = {
    VARIANT: "Prompt",
    GENERATOR: "Generator",
    DIFFICULTY: "Difficulty",
    PERIODS: "Length",
    AGENT: "Effort",
}
SAME_INSTANCES = (VARIANT, PERIODS, AGENT)
"""Conditions that do not change the instances, so that runs are paired by instance."""

COLUMNS = {
    VARIANT: F("variant"),
    GENERATOR: F("instance__generator"),
    DIFFICULTY: F("instance__difficulty"),
    PERIODS: F("periods"),
    AGENT: F("agent__name"),
}


class ConditionsFilter(TableFilter):
    """What `by` compares may vary; of everything else the filter has one value."""

    PAGE: ClassVar[str] = "analysis:conditions"
    CHIPS: ClassVar[tuple[str, ...]] = ("environments", "difficulties", "rows")
    MORE: ClassVar[tuple[str, ...]] = ("by", *TableFilter.MORE)
    TAKES_DESIGNS: ClassVar[bool] = False

    by: Annotated[
        Plain,
        Choices(BY),
        Field(title="Compare", description="Which conditions are compared; effort: the agents of each model."),
    ] = VARIANT

    @property
    def has_more(self) -> bool:
        """The page has tabs for what is compared, so that alone does not open the fold."""
        return any(getattr(self, name) != self.default(name) for name in (*TableFilter.MORE, "agents"))

    @property
    def varying(self) -> str:
        return self.by


@dataclass(frozen=True)
class Conditions:
    """The comparisons of a filter, and the printed rows of the table of prompts that belong beside them."""

    by: str
    contrasts: Sequence[Contrast]
    printed: Sequence[published.PublishedPrompt]


def conditions_of(organization: Organization, table_filter: ConditionsFilter) -> Conditions:
    """Compare the conditions of each agent. Three queries, four where `minority_groups` takes two."""
    by = table_filter.by
    printed = [
        row
        for row in (published.prompt_scores() if Kind.PUBLISHED in table_filter.rows else ())
        if by == VARIANT
        and row.environment in table_filter.environments
        and row.difficulty in table_filter.difficulties
    ]
    return Conditions(by, _contrasts(organization, table_filter), printed)


def _contrasts(organization: Organization, table_filter: ConditionsFilter) -> list[Contrast]:
    by, values = table_filter.by, defaultdict[Cell, dict[str, dict[int, float]]](lambda: defaultdict(dict))
    name = F("agent__model" if by == AGENT else "agent__name")
    keys = _metrics(table_filter)
    for row in _rows(_runs(organization, table_filter), keys, COLUMNS[by], name):
        difficulty = "" if by == DIFFICULTY else row["level"]
        for measure in (SCORE, *keys.get(row["environment"], ())):
            if (share := row[f"mean_{measure}"]) is not None:
                cell = Cell(row["name"], row["environment"], difficulty, measure)
                values[cell][str(row["condition"])][row["instance_id"]] = share
    several = {cell: values[cell] for cell in sorted(values, key=_cell_order) if len(values[cell]) > 1}
    usual = {VARIANT: table_filter.variant, GENERATOR: table_filter.generator, PERIODS: str(table_filter.periods)}
    return contrasts(
        several, lambda condition: _order(by, condition, usual.get(by, "")), is_paired=by in SAME_INSTANCES
    )


def _cell_order(cell: Cell) -> tuple[object, ...]:
    return (
        BENCHMARKS.index(cell.environment), cell.measure != SCORE, cell.measure, cell.name.casefold(),
        DIFFICULTIES.index(cell.difficulty) if cell.difficulty else 0,
    )  # fmt: skip


def _order(by: str, condition: str, usual: str) -> tuple[bool, int, str]:
    """The usual condition first, difficulties from the easiest, numbers of periods by size."""
    number = DIFFICULTIES.index(condition) if condition in DIFFICULTIES else 0
    return condition != usual, int(condition) if by == PERIODS else number, condition


def _metrics(table_filter: ConditionsFilter) -> dict[str, list[str]]:
    """The metrics that are compared, by environment. Difficulties are compared by scores alone."""
    if table_filter.by == DIFFICULTY:
        return {}
    return {name: [metric.key for metric in parts_of(name).metrics] for name in table_filter.environments}


def _runs(organization: Organization, table_filter: ConditionsFilter) -> Any:
    """The finished runs in which only the compared condition varies, without those played otherwise."""
    fixed = {
        VARIANT: Q(variant=table_filter.variant),
        GENERATOR: Q(instance__generator=table_filter.generator),
        PERIODS: Q(periods=table_filter.periods),
    }
    runs = fitting_runs(organization=organization, run_filter=table_filter).filter(
        *(condition for name, condition in fixed.items() if name != table_filter.by),
        instance__environment__in=table_filter.environments,
        instance__difficulty__in=table_filter.difficulties,
    )
    groups = {} if table_filter.mixed else minority_groups(organization, runs)
    return runs.exclude(in_groups(groups)).filter(SCORED)


def _rows(runs: Any, keys: Mapping[str, Sequence[str]], condition: F, name: F) -> Iterable[Any]:
    """The mean score and metrics of an agent on an instance under one condition, of the agents with several conditions.

    name: the column of the agent's name. Two queries.
    """
    names = dict.fromkeys(key for own in keys.values() for key in own)
    where = {key: [environment for environment, own in keys.items() if key in own] for key in names}
    means = {
        f"mean_{key}": Avg(
            Case(When(instance__environment__in=where[key], then=metric_number(key)), output_field=FloatField())
        )
        for key in names
    }
    runs = runs.order_by().annotate(name=name)
    counts = runs.values("name").annotate(conditions=Count(condition, distinct=True)).filter(conditions__gt=1)
    compared = [row["name"] for row in counts if row["name"]]
    cell = {"environment": F("instance__environment"), "level": F("instance__difficulty"), "condition": condition}
    rows = runs.filter(name__in=compared).values("name", "instance_id", **cell)
    return list(rows.annotate(mean_score=Avg("score"), **means))
