"""Which agents are compared, and over which runs."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.base.table import DEFAULT_ROWS, Kind
from analysis.benchmark.filters import TableFilter
from analysis.forms import BenchmarkForm, LitmusForm
from analysis.litmus.filters import LitmusFilter
from analysis.models import BoardKind

COMPARED_ROWS: tuple[str, ...] = (*DEFAULT_ROWS, Kind.OUTSIDE, Kind.HUMAN)
"""Who is compared is named, so outside agents and people are not left out."""


@dataclass(frozen=True)
class CompareFilter(TableFilter):
    """As of the benchmark table. `agents` are in the order in which they are compared."""

    rows: tuple[str, ...] = COMPARED_ROWS
    PAGE: ClassVar[str] = "analysis:compare"
    CHIPS: ClassVar[tuple[str, ...]] = ("agents", "environments", "difficulties")
    OF_NAMED_AGENTS: ClassVar[bool] = True


class CompareForm(BenchmarkForm):
    filter_class = CompareFilter


@dataclass(frozen=True)
class CompareLitmusFilter(LitmusFilter):
    """As of the litmus table: the litmus scores under the main prompt are compared."""

    rows: tuple[str, ...] = COMPARED_ROWS
    PAGE: ClassVar[str] = "analysis:compare-litmus"
    CHIPS: ClassVar[tuple[str, ...]] = ("agents",)
    OF_NAMED_AGENTS: ClassVar[bool] = True


class CompareLitmusForm(LitmusForm):
    filter_class = CompareLitmusFilter


COMPARE_FORMS: dict[str, type[CompareForm | CompareLitmusForm]] = {
    BoardKind.BENCHMARK: CompareForm,
    BoardKind.LITMUS: CompareLitmusForm,
}
