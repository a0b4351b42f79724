"""Which agents are compared, and over which runs."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.benchmark.filters import TableFilter
from analysis.forms import BenchmarkForm, LitmusForm
from analysis.litmus.filters import LitmusFilter
from analysis.models import BoardKind


@dataclass(frozen=True)
class CompareFilter(TableFilter):
    """As of the benchmark table. `agents` are in the order in which they are compared."""

    PAGE: ClassVar[str] = "analysis:compare"
    CHIPS: ClassVar[tuple[str, ...]] = ("agents", "environments", "difficulties")


class CompareForm(BenchmarkForm):
    filter_class = CompareFilter


@dataclass(frozen=True)
class CompareLitmusFilter(LitmusFilter):
    """As of the litmus table: the litmus scores under the main prompt are compared."""

    PAGE: ClassVar[str] = "analysis:compare-litmus"
    CHIPS: ClassVar[tuple[str, ...]] = ("agents",)


class CompareLitmusForm(LitmusForm):
    filter_class = CompareLitmusFilter


COMPARE_FORMS: dict[str, type[CompareForm | CompareLitmusForm]] = {
    BoardKind.BENCHMARK: CompareForm,
    BoardKind.LITMUS: CompareLitmusForm,
}
