import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from analysis.base.benchmark_filters import CompareFilter
from api.management import filters
from infrastructure.commands import QuickCommand
from pages.reports.answers import comparison_report
from pages.reports.contents import experiment_report
from pages.reports.parts import Report, page
from runs.management.launches import experiment_numbered, fail

MADE_BY = "the command line"


class Command(QuickCommand):
    help = "Write the report of an experiment or of a comparison of agents as one HTML file that opens offline."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("experiment", type=int, nargs="?", metavar="EXPERIMENT", help="number of the experiment")
        filters.add_filter_options(parser, CompareFilter)
        parser.add_argument("--output", metavar="FILE", help="file to write; default: standard output")

    def handle(self, *, experiment: int | None, output: str | None, **options: Any) -> None:
        if experiment is None:
            owner = filters.owner_from(options["organization"])
            run_filter = filters.filter_from(owner, CompareFilter, options)
            write_report(comparison_report(owner, run_filter, MADE_BY), output)
        elif any(options[name] for name in CompareFilter.model_fields if name in options):
            fail("A report of an experiment has all its runs; filters belong to --agent.")
        else:
            write_report(experiment_report(experiment_numbered(experiment), MADE_BY), output)


def write_report(report: Report, file: str | None) -> None:
    """Write the report to a file, or to standard output. Exits with an error message if the file cannot be written."""
    if file is None:
        sys.stdout.write(page(report))
        return
    try:
        Path(file).write_text(page(report), encoding="utf-8")
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}.")
