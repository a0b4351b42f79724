"""Which runs a trend is fitted to."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.benchmark.filters import TableFilter
from analysis.forms import BenchmarkForm


@dataclass(frozen=True)
class TrendFilter(TableFilter):
    PAGE: ClassVar[str] = "analysis:trends"


class TrendForm(BenchmarkForm):
    filter_class = TrendFilter
