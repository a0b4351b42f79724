"""Which agents are compared, and over which runs."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.benchmark.filters import TableFilter
from analysis.forms import BenchmarkForm


@dataclass(frozen=True)
class CompareFilter(TableFilter):
    """As of the benchmark table. `agents` are in the order in which they are compared."""

    PAGE: ClassVar[str] = "analysis:compare"
    CHIPS: ClassVar[tuple[str, ...]] = ("agents", "environments", "difficulties")


class CompareForm(BenchmarkForm):
    filter_class = CompareFilter
