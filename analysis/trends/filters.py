"""Which runs a trend is fitted to."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.base.filters import ROW_LABELS
from analysis.base.table import Kind
from analysis.benchmark.filters import TableFilter
from analysis.forms import BenchmarkForm, chips

SOURCES = tuple(kind for kind in Kind if kind != Kind.BASELINE)
"""Baselines have no release date."""


@dataclass(frozen=True)
class TrendFilter(TableFilter):
    PAGE: ClassVar[str] = "analysis:trends"
    KINDS: ClassVar[tuple[str, ...]] = SOURCES

    rows: tuple[str, ...] = (Kind.OWN, Kind.PUBLISHED)


class TrendForm(BenchmarkForm):
    filter_class = TrendFilter
    design_environments = ()

    rows = chips("Sources", [(kind.value, ROW_LABELS[kind]) for kind in SOURCES])
