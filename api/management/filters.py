"""Arguments that choose the runs of a benchmark table."""

from argparse import ArgumentParser
from typing import Any

from analysis.base.table import Kind
from analysis.benchmark.filters import DIFFICULTIES, TableFilter, variant_choices
from analysis.litmus.filters import LitmusFilter
from environments.generation import GENERATORS
from environments.registry import BENCHMARKS


def add_table_arguments(parser: ArgumentParser) -> None:
    """All but the agents."""
    defaults = TableFilter()
    add = parser.add_argument
    add("--organization", metavar="SLUG", help="default: the first of the site")
    add("--environment", nargs="+", choices=BENCHMARKS, metavar="ENV", default=BENCHMARKS)
    add("--difficulty", nargs="+", choices=DIFFICULTIES, metavar="DIFFICULTY", default=DIFFICULTIES)
    add("--variant", choices=[name for name, _ in variant_choices()], metavar="VARIANT", default=defaults.variant)
    add("--periods", type=int, default=defaults.periods, help="only runs of this length")
    add("--generator", choices=list(GENERATORS), default=defaults.generator)
    add("--rows", nargs="+", choices=[kind.value for kind in Kind], metavar="KIND", default=defaults.rows,
        help=f"some of {', '.join(Kind)}")  # fmt: skip


def table_filter_from(options: dict[str, Any]) -> TableFilter:
    return TableFilter(
        environments=tuple(options["environment"]),
        difficulties=tuple(options["difficulty"]),
        variant=options["variant"],
        periods=options["periods"],
        generator=options["generator"],
        rows=tuple(options["rows"]),
        agents=tuple(options["agent"]),
    )


def litmus_filter_from(options: dict[str, Any]) -> LitmusFilter:
    rows, agents = tuple(options["rows"]), tuple(options["agent"])
    return LitmusFilter(rows=rows, agents=agents, generator=options["generator"])
