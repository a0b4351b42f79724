import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from reports.experiment import experiment_report
from reports.page import page
from runs.management.arguments import experiment_numbered, fail


class Command(BaseCommand):
    help = "Write the report of an experiment, one HTML file that opens offline."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("experiment", type=int, metavar="EXPERIMENT", help="its number")
        parser.add_argument("--output", metavar="FILE", help="instead of standard output")

    def handle(self, *, experiment: int, output: str | None, **options: Any) -> None:
        text = page(experiment_report(experiment_numbered(experiment), "the command line"))
        if output is None:
            sys.stdout.write(text)
            return
        try:
            Path(output).write_text(text, encoding="utf-8")
        except OSError as error:
            fail(f"{output} cannot be written: {error.strerror}.")
