"""An agent's scores by environment and difficulty. A mean never mixes runs played under different conditions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from analysis.base.benchmark_filters import DIFFICULTIES, TableFilter
from analysis.base.filters import Filter
from environments.base import PERIODS
from environments.declarations import ScoreFormat
from environments.generation import is_design
from environments.registry import BENCHMARKS, ENVIRONMENTS, score_format, variant_label
from infrastructure.declared import Choices, without_default
from infrastructure.schemas import Plain
from infrastructure.text.formats import DASH, money
from runs.selectors.cells import difficulty_order, environment_order
from stats.means import MANY, Interval, mean_interval, student_interval

ROUNDING = 1e-7
"""A standard error up to this may come from rounded sums of equal scores."""


@dataclass(frozen=True)
class Conditions:
    """The conditions under which the runs of a mean were played. rival: name of a market's second agent, or empty"""

    environment: str
    difficulty: str
    variant: str
    periods: int
    generator: str
    imported: bool
    rival: str

    @property
    def order(self) -> tuple[object, ...]:
        column = (environment_order(self.environment), difficulty_order(self.difficulty))
        return (*column, self.variant != "main", self.variant, self.generator, -self.periods, self.imported, self.rival)

    @property
    def is_benchmark(self) -> bool:
        return self.environment in BENCHMARKS

    @property
    def is_usual(self) -> bool:
        """Whether the leaderboard shows these runs without a change of its filters."""
        usual = TableFilter()
        return (
            self.is_benchmark
            and self.difficulty in DIFFICULTIES
            and (self.variant, self.periods, self.generator) == (usual.variant, usual.periods, usual.generator)
        )

    @property
    def deviations(self) -> list[str]:
        """The settings that differ from those of the papers, in words."""
        prompt = "" if self.variant == "main" else variant_label(self.environment, self.variant)
        deviations = {
            "own design": is_design(self.difficulty),
            prompt: prompt,
            f"against {self.rival}": self.rival,
            f"{self.periods:,} periods": self.is_benchmark and self.periods != PERIODS,
            f"generator {self.generator}": self.generator != "published",
            "imported": self.imported,
        }
        return [words for words, differs in deviations.items() if differs]


@dataclass(frozen=True)
class Sums:
    """The sums over an agent's finished, scored runs under the same conditions.

    instances, runs: number of instances and of runs
    mean, squares: mean and mean square of the instances' scores; several runs of an instance count as their mean
    solved: instances that every run solved, None if the environment has no solutions
    cost_nano, points: cost of all runs, and the sum of their scores in points
    """

    conditions: Conditions
    instances: int
    runs: int
    mean: float
    squares: float
    solved: int | None
    cost_nano: int
    points: float

    @property
    def standard_error(self) -> float | None:
        """The standard error of the mean over instances; None for one instance."""
        if self.instances < 2:
            return None
        variance = max(0.0, self.squares - self.mean**2) * self.instances / (self.instances - 1)
        return math.sqrt(variance / self.instances)


@dataclass(frozen=True)
class HistoryRow:
    """A row of the history.

    interval: 95 % interval of the mean, see `mean_interval`. cost_is_known: whether calls have a price
    """

    sums: Sums
    interval: Interval | None
    cost_is_known: bool

    @property
    def conditions(self) -> Conditions:
        return self.sums.conditions

    @property
    def form(self) -> ScoreFormat:
        return score_format(self.conditions.environment, self.conditions.variant)

    @property
    def spread(self) -> str:
        """The interval as text; the standard error if there is no interval; a dash for a single instance."""
        if self.interval:
            return f"{self.form.text(self.interval[0])} to {self.form.text(self.interval[1])}"
        error = self.sums.standard_error
        return DASH if error is None else f"± {self.form.text(error)}"

    @property
    def cost_per_run(self) -> str:
        return money(round(self.sums.cost_nano / self.sums.runs)) if self.cost_is_known else DASH

    @property
    def cost_per_point(self) -> str:
        """Dollars per point of the score.

        A dash if the price or the points are missing, and for litmus tests, where a higher score is not better.
        """
        return cost_per_point([self.sums]) if self.cost_is_known and self.conditions.is_benchmark else DASH


def cost_per_point(sums: Sequence[Sums]) -> str:
    points = math.fsum(cell.points for cell in sums)
    return money(round(sum(cell.cost_nano for cell in sums) / points)) if points > 0 else DASH


def interval_of(sums: Sums, scores: Sequence[float]) -> Interval | None:
    """The 95 % interval of the mean, see `mean_interval`.

    Above MANY instances it is computed from the sums alone, so `scores` is not read.
    """
    if sums.instances <= MANY:
        return mean_interval(scores)
    error = sums.standard_error or 0.0
    return student_interval(sums.mean, error, sums.instances) if error > ROUNDING else None


class AgentFilter(Filter):
    """The filter of a table of agents. environment: empty for all"""

    kind: ClassVar[str] = "agents"
    PLAYS: ClassVar[tuple[str, ...]] = tuple(ENVIRONMENTS)
    TAKES_DESIGNS: ClassVar[bool] = False

    environment: Annotated[
        Plain,
        Choices({name: title.title for name, title in ENVIRONMENTS.items()}),
        Field(json_schema_extra=without_default),
    ] = ""
