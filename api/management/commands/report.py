import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from analysis.base.benchmark_filters import CompareFilter
from api.management.filters import add_filter_options, filter_from, owner_from
from pages.reports.contents import comparison_report, experiment_report
from pages.reports.parts import Report, page
from runs.management.launches import experiment_numbered, fail

MADE_BY = "the command line"


class Command(BaseCommand):
    help = "Write the report of an experiment or of a comparison of agents as one HTML file that opens offline."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        of = parser.add_mutually_exclusive_group(required=True)
        of.add_argument("experiment", type=int, nargs="?", metavar="EXPERIMENT", help="number of the experiment")
        add_filter_options(parser, CompareFilter)
        parser.add_argument("--output", metavar="FILE", help="file to write; default: standard output")

    def handle(self, *, experiment: int | None, output: str | None, **options: Any) -> None:
        if experiment is not None and any(options[name] for name in CompareFilter.model_fields if name in options):
            fail("A report of an experiment has all its runs; filters belong to --agent.")
        text = page(
            _compared(options) if experiment is None else experiment_report(experiment_numbered(experiment), MADE_BY)
        )
        if output is None:
            sys.stdout.write(text)
            return
        try:
            Path(output).write_text(text, encoding="utf-8")
        except OSError as error:
            fail(f"{output} cannot be written: {error.strerror}.")


def _compared(options: dict[str, Any]) -> Report:
    owner = owner_from(options["organization"])
    return comparison_report(owner, filter_from(owner, CompareFilter, options), MADE_BY)
