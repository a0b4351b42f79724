"""Addresses that a benchmark table for members links to."""

from __future__ import annotations

from urllib.parse import urlencode

from django.urls import reverse

from analysis.base.filters import BoardFilter
from analysis.base.links import BoardLinks, page_links
from analysis.base.table import SHOWN
from analysis.benchmark.filters import TableFilter
from analysis.benchmark.table import BenchmarkColumn
from environments.base import PERIODS


def benchmark_links(chosen: TableFilter, base: BoardFilter | None = None) -> BoardLinks:
    """`base` is the filter of a saved leaderboard."""
    whole = chosen.query()
    return page_links(
        chosen,
        base,
        figure=lambda name: f"{reverse('analysis:strip')}?{whole}",
        cell=lambda row, column: f"{reverse('analysis:cell')}?{cell_query(row.agent_slug, column, chosen)}",
        figure_csv=f"{reverse('analysis:strip-csv')}?{whole}",
    )


def cell_query(agent_slug: str, column: BenchmarkColumn, chosen: TableFilter) -> str:
    """The query string of the list of runs behind one cell."""
    own = {"agent": agent_slug, "environment": column.environment, "difficulty": column.difficulty}
    usual = {"rows": SHOWN, "periods": PERIODS, "tag": None, "start": None, "end": None}
    changed = {name: getattr(chosen, name) for name, value in usual.items() if getattr(chosen, name) != value}
    return urlencode(own | {"generator": chosen.generator, "variant": chosen.variant} | changed, doseq=True)
