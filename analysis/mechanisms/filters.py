"""Which runs the page of mechanisms rests on. `chart` is the environment that it shows."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.benchmark.filters import TableFilter
from analysis.forms import BenchmarkForm


@dataclass(frozen=True)
class MechanismFilter(TableFilter):
    PAGE: ClassVar[str] = "analysis:mechanisms"


class MechanismForm(BenchmarkForm):
    filter_class = MechanismFilter
    design_environments = ()
